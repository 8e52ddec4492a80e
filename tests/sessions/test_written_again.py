"""Whatever values get into a file of lve, lve can read the file again: every writer with its
reader. A value that JSON doesn't have is changed, or its result is an error that says why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sessions.odd_values import (
    DIGITS,
    ODD_VALUES,
    SECRETS,
    a_folder,
    knows,
    odd,
    odd_texts,
    odd_values,
    redactors,
)
from support.examples import examples
from support.folders import write_test
from support.results import make_result, make_transcript

from lve.checkers.questions import Answer
from lve.comparison.baseline import read_baseline
from lve.data.instance_files import iter_values
from lve.documents.json_lines import fast_written_value, file_json, json_line, plain
from lve.documents.json_text import decode_written
from lve.execution.budgets.budget import Amount
from lve.execution.cache.value import completion_from_stored, stored_row
from lve.extensions.comparing.verbs.baseline import write_baseline
from lve.extensions.recording.instance_writer import append_instances, instance_to_json
from lve.messages import Completion, Usage
from lve.secrets.redaction import Redactor
from lve.sessions.instance_result import InstanceResult
from lve.sessions.journal.journal import Journal
from lve.sessions.journal.reading import read_journal
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_tests import SessionTest, append_tests, read_tests
from lve.sessions.spending import Ledger, amount_in_ledger


@settings(max_examples=examples(200), deadline=None)
@given(odd_values, redactors)
def test_a_plain_value_is_read_as_it_was_written(value: Any, redact: Redactor) -> None:
    with knows(redact):
        line = file_json(plain(value))
    assert decode_written(line) == fast_written_value(line.encode("ascii"))
    assert redact(line) == line
    if redact is not SECRETS:
        assert decode_written(line) == plain(value)
    assert decode_written(json_line([plain(value)])) == [plain(value)]


@pytest.mark.parametrize("value", ODD_VALUES, ids=[*map(str, range(len(ODD_VALUES)))])
@pytest.mark.parametrize("redact", [Redactor(), SECRETS], ids=["whole", "redacted"])
def test_each_odd_value_is_read_again_from_each_file(
    value: Any, redact: Redactor, tmp_path: Path
) -> None:
    args = {"a": value}
    with knows(redact):
        line = file_json(plain(value))
        session = SessionFolder.create(tmp_path, {"options": {"model_args": args}})
    assert redact(line) == line
    decode_written(line)
    assert session.info()["options"]["model_args"].keys() == {"a"}
    result = make_result(args=args)
    (found,) = journal_of(tmp_path / "results.jsonl", redact, result)
    assert found.verdict == "passed" or "writing the result" in found.reason
    file = write_test(tmp_path / "t") / "instances" / "x.jsonl"
    file.parent.mkdir(exist_ok=True)
    wanted = instance_to_json(result, is_multi_run=False, author=None, run_info=args)
    with knows(redact):
        append_instances(file, [wanted])
    _, last = list(iter_values(file, tmp_path / "t"))[-1]
    assert isinstance(last, dict), last


usages = st.builds(
    Usage,
    st.integers(0, 1000) | odd,
    st.integers(0, 1000) | odd,
)
completions = st.builds(
    Completion,
    text=odd_texts | odd,
    finish_reason=st.none() | odd_texts | odd,
    usage=st.none() | usages,
    latency_s=st.floats(0, 10) | odd,
    first_token_s=st.none() | odd,
    model=st.none() | odd_texts | odd,
    logprobs=odd_values,
    reasoning=st.none() | odd_texts | odd,
)
fields = {
    "args": st.dictionaries(odd_texts, odd_values, max_size=3)
    | st.dictionaries(odd_values.filter(lambda key: key.__hash__ is not None), odd, max_size=2),
    "reason": odd_texts | odd,
    "score": odd_values,
    "verdict": odd,
    "cost": odd,
    "latency_s": odd,
    "usage": usages,
    "error_kind": odd,
    "responses": st.lists(odd_texts | odd, max_size=2).map(tuple),
    "asked": st.lists(
        st.builds(Answer, odd_texts, odd_texts, odd_texts, completions, odd), max_size=2
    ).map(tuple),
    "transcripts": st.lists(
        st.builds(
            lambda completion: replace(make_transcript(), completions=(completion,)), completions
        ),
        max_size=2,
    ).map(tuple),
    "cached": odd,
}
changes = st.sampled_from(sorted(fields)).flatmap(
    lambda name: st.tuples(st.just(name), fields[name])
)


def journal_of(path: Path, redact: Redactor, *results: InstanceResult) -> list[InstanceResult]:
    """Return what is read after some results were written."""
    with knows(redact):
        journal = Journal(path)
        written = [journal.append(one, lambda: "sum") for one in results]
        journal.close()
    warnings: list[str] = []
    found = list(read_journal(path, warn=warnings.append))
    assert warnings == []
    assert [one.verdict for one in found] == [one.verdict for one in written]
    return found


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(changes, min_size=1, max_size=2), redactors)
def test_every_line_of_a_journal_is_read_again(changed: list[Any], redact: Redactor) -> None:
    with a_folder() as folder, knows(redact):
        first, last = make_result(line=1), make_result(line=3)
        one = make_result(line=2, **dict(changed))
        found = journal_of(folder / "results.jsonl", redact, first, one, last)
        assert [found[0], found[2]] == [first, last], "the others are as they were"
        if found[1].error_kind == "unexpected":
            assert "writing the result" in found[1].reason
        lines = (folder / "results.jsonl").read_text(encoding="ascii")
        assert redact(lines) == lines


@pytest.mark.parametrize("name", ["reason", "score", "cost", "verdict"])
def test_a_result_that_can_not_be_read_again_says_what_is_wrong(name: str, tmp_path: Path) -> None:
    wrong = None if name == "reason" else "x\ud800"
    (found,) = journal_of(tmp_path / "r.jsonl", Redactor(), make_result(**{name: wrong}))
    assert found.verdict == "error"
    assert f"couldn't be read again ($.{name}" in found.reason


def test_a_secret_of_digits_in_a_number_is_a_text(tmp_path: Path) -> None:
    (found,) = journal_of(
        tmp_path / "results.jsonl", SECRETS, make_result(args={"n": int(DIGITS), "m": [1]})
    )
    assert found.verdict == "passed"
    assert found.args == {"n": "[redacted]", "m": [1]}


@settings(max_examples=examples(100), deadline=None)
@given(odd_values, odd_texts, redactors)
def test_every_session_file_is_read_again(value: Any, text: str, redact: Redactor) -> None:
    with a_folder() as folder, knows(redact):
        info = {"options": {"model_args": {"a": value}}, "settings": text, "paths": [text]}
        session = SessionFolder.create(folder, info)
        session.end("complete", summary={})
        assert session.info()["status"] == "complete"


@settings(max_examples=examples(100), deadline=None)
@given(odd_texts, odd_texts, odd_texts, redactors)
def test_every_description_of_a_test_is_read_again(
    name: str, model: str, text: str, redact: Redactor
) -> None:
    with a_folder() as folder, knows(redact):
        test = SessionTest(name, model, description=text, problems=(text,))
        append_tests(folder, [test])
        warnings: list[str] = []
        (found,) = read_tests(folder, warn=warnings.append).values()
        assert warnings == []
        assert found.description == redact(text)


@settings(max_examples=examples(150), deadline=None)
@given(st.dictionaries(odd_texts, odd_values, max_size=3), odd_texts, redactors)
def test_every_recorded_instance_is_read_again(
    args: dict[str, Any], text: str, redact: Redactor
) -> None:
    with a_folder() as folder, knows(redact):
        file = write_test(folder / "t") / "instances" / "x.jsonl"
        file.parent.mkdir(exist_ok=True)
        result = make_result(args=args, responses=(text,), transcripts=(make_transcript(text),))
        wanted = instance_to_json(result, is_multi_run=False, author=text, run_info={"a": args})
        append_instances(file, [wanted])
        ((_, value),) = list(iter_values(file, folder / "t"))[-1:]
        assert isinstance(value, dict), value


@settings(max_examples=examples(150), deadline=None)
@given(completions)
def test_every_entry_of_the_cache_is_read_again_or_refused(completion: Completion) -> None:
    key = "ab" * 32
    try:
        stored = stored_row(key, completion)[3]
    except Exception:  # the model's wrong answer is refused before it gets here
        return
    try:
        again = completion_from_stored(stored, key)
    except (KeyError, TypeError, ValueError, RecursionError):
        return
    assert completion_from_stored(stored_row(key, again)[3], key) == again


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(odd_texts, min_size=3, max_size=3), odd_values, redactors)
def test_every_baseline_is_read_again(texts: list[str], value: Any, redact: Redactor) -> None:
    with a_folder() as folder, knows(redact):
        content = {
            "version": 1,
            "made": {
                "from": texts[0], "started": "", "commit": None, "lve": "1", "judge": None,
                "model_args": {"a": value}, "served": {},
            },
            "tests": {texts[1]: {"sums": {}, "models": {texts[2]: {}}}},
        }  # fmt: skip
        write_baseline(folder / "b.json", content)
        assert read_baseline(folder / "b.json").content["made"]["from"] == redact(texts[0])


@pytest.mark.parametrize("cost", [0.1, float("nan"), float("inf"), 10**400])
def test_every_ledger_is_read_again(cost: Any, tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "spent.json", lambda: Amount(cost=cost))
    ledger.write()
    ledger.close(delete=False)
    found = amount_in_ledger(tmp_path / "spent.json")
    assert found.cost == (0.1 if cost == 0.1 else 0)
