"""Results to test with."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from lve.messages import Completion, Message, Role, Transcript, Usage
from lve.sessions.instance_result import InstanceResult
from lve.spec.spec import Expectation
from lve.verdicts.coverage import Coverage
from lve.verdicts.tally import Tally


def make_result(**changes: Any) -> InstanceResult:
    """Return a plain passed result, with some fields changed."""
    fields: dict[str, Any] = {
        "test": "repository/a",
        "model": "openai/m",
        "source": "instances/x.jsonl",
        "line": 1,
        "repeat": 0,
        "args": {"temperature": 0.0, "name": "Ann"},
        "verdict": "passed",
        "reason": "",
        "responses": ("hello",),
        "transcripts": (make_transcript(),),
        "usage": Usage(3, 4),
        "latency_s": 0.25,
    }
    return InstanceResult(**{**fields, **changes})


def tally_of(counts: str, expect: Expectation, *, complete: bool = True) -> Tally:
    """`counts` is such as `3p 1f 2e 1i`."""
    tally = Tally("t", "m", expect, coverage=Coverage(is_complete=complete))
    names = {"p": "passed", "f": "failed", "e": "error", "i": "inconclusive"}
    for word in counts.split():
        for _ in range(int(word[:-1])):
            tally.add(make_result(verdict=names[word[-1]], reason=f"why {word[-1]}"))
    return tally


def make_transcript(text: str = "hello", question: str = "hi") -> Transcript:
    """Return a conversation of one question and one answer."""
    return Transcript(
        messages=(Message(question), Message(text, Role.assistant, variable="response")),
        completions=(Completion(text, "stop", Usage(3, 4), 0.25, model="m-1"),),
        filled=(1,),
    )


any_text = st.text(max_size=12) | st.sampled_from(["\x1b[2J\r\n", "\u202e\u2028", "\ud800", '"\\'])
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=6,
)
usages = st.builds(Usage, st.integers(0, 10**6), st.integers(0, 10**6))
completions = st.builds(
    Completion,
    text=st.just("the answer"),
    finish_reason=st.none() | any_text,
    usage=st.none() | usages,
    latency_s=st.integers(0, 1000).map(float),
    first_token_s=st.none() | st.integers(0, 1000).map(float),
    model=st.none() | any_text,
    cached=st.booleans(),
    logprobs=st.none() | st.lists(st.integers()),
)
transcripts = st.builds(
    lambda question, completion, image, name: Transcript(
        messages=(
            Message(question, image_url=image),
            Message("the answer", Role.assistant, variable="response"),
        ),
        completions=(completion,),
        name=name,
        filled=(1,),
    ),
    any_text,
    completions,
    st.none() | any_text,
    st.none() | any_text,
)
results = st.builds(
    InstanceResult,
    test=any_text,
    model=any_text,
    source=any_text,
    line=st.integers(1, 10**9),
    repeat=st.integers(0, 100),
    args=st.dictionaries(any_text, json_values, max_size=4),
    verdict=st.sampled_from(["passed", "failed", "error", "inconclusive"]),
    reason=any_text,
    recorded=st.sampled_from(["passed", "failed", None]),
    responses=st.lists(any_text | st.dictionaries(any_text, any_text, max_size=2), max_size=3).map(
        tuple
    ),
    transcripts=st.lists(transcripts, max_size=2).map(tuple),
    usage=usages,
    cost=st.none() | st.floats(0, 10),
    latency_s=st.integers(0, 1000).map(float),
    cached=st.booleans(),
    error_kind=st.none() | any_text,
    score=st.none() | st.floats(0, 1),
)
"""Any result, hostile text included."""
