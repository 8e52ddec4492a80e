"""One instance: whatever happens to it, it has a result, or the session ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from support.folders import write_test

from lve.checkers.contract import CheckContext
from lve.checkers.resolve import resolve
from lve.errors import BudgetError, ModelError, SessionError, TransientModelError
from lve.execution.stop import Stopped, StopSignal
from lve.messages import Completion, Message, Transcript, Usage
from lve.models.chat_model import ChatRequest
from lve.options.run_options import RunOptions
from lve.pipeline.rows.check_context import context_of
from lve.pipeline.rows.model_of_test import ModelOfTest
from lve.pipeline.rows.prepared_test import PreparedTest
from lve.pipeline.rows.run_instance import run_instance
from lve.prompts.plan import build_plan
from lve.sessions.instance_result import UNEXPECTED, InstanceResult
from lve.settings.model_settings import Price
from lve.spec.load import load_spec
from lve.spec.recorded_row import Recorded
from lve.spec.spec import Instance

TWICE = [{"name": name, "prompt": [{"content": text}]} for name, text in (("a", "Hi"), ("b", "Ho"))]
INSTANCE = Instance({}, {}, {}, "instances/x.jsonl", 3)


class Asked:
    """Answers requests with what `say` gives or raises for the text of the last message."""

    def __init__(self, say: Callable[[str], Any] = lambda _: "Hello") -> None:
        self.say = say
        self.requests: list[ChatRequest] = []

    async def __call__(self, request: ChatRequest) -> Completion:
        self.requests.append(request)
        await asyncio.sleep(0)
        said = self.say(str(request.messages[-1].content))
        if isinstance(said, BaseException):
            raise said
        return said if isinstance(said, Completion) else Completion(said)


def prepared(folder: Path, complete: Asked, **more: Any) -> PreparedTest:
    document = more.pop("document", {})
    spec = load_spec(write_test(folder, **document), folder)
    model = {name: more.pop(name) for name in ModelOfTest.__slots__ if name in more}
    return PreparedTest(
        spec=spec,
        plan=build_plan(spec),
        judge=resolve(spec),
        model=ModelOfTest(
            "m",
            complete,
            lambda instance: {"temperature": 0, **instance.model_args},
            folder=spec.folder,
            **model,
        ),
        stop_signal=StopSignal(),
        **{"options": RunOptions(), **more},
    )


def run(
    folder: Path, complete: Asked, instance: Instance = INSTANCE, repeat: int = 0, **more: Any
) -> InstanceResult:
    return asyncio.run(run_instance(prepared(folder, complete, **more), instance, repeat))


def test_a_result_says_where_it_comes_from_and_what_it_took(tmp_path: Path) -> None:
    said = Completion("Hello you", usage=Usage(10, 20), latency_s=0.5)
    result = run(tmp_path, Asked(lambda _: said), repeat=2, price=Price(input=1.0, output=2.0))
    assert (result.verdict, result.model, result.responses) == ("passed", "m", ("Hello you",))
    assert (result.source, result.line, result.repeat) == ("instances/x.jsonl", 3, 2)
    assert (result.usage, result.latency_s, result.cached) == (Usage(10, 20), 0.5, False)
    assert result.cost == pytest.approx(50 / 1e6)
    assert result.error_kind is None


def test_what_is_asked_has_args_repeat_and_time(tmp_path: Path) -> None:
    asked = Asked()
    instance = Instance({}, {}, {"seed": 5}, "x", 1)
    run(tmp_path, asked, instance, repeat=4, timeout_s=7.0, stream=True)
    (request,) = asked.requests
    assert (dict(request.args), request.repeat) == ({"temperature": 0, "seed": 5}, 4)
    assert (request.timeout_s, request.stream) == (7.0, True)


@pytest.mark.parametrize(
    ("raised", "kind", "reason"),
    [
        (TransientModelError("no answer", kind="timeout"), "timeout", "no answer"),
        (ModelError("who?", kind="authentication"), "authentication", "who?"),
        (ZeroDivisionError("oops"), UNEXPECTED, "oops"),
    ],
)
def test_what_goes_wrong_is_the_error_of_the_instance(
    raised: Exception, kind: str, reason: str, tmp_path: Path
) -> None:
    result = run(tmp_path, Asked(lambda _: raised))
    assert (result.verdict, result.error_kind) == ("error", kind)
    assert reason in result.reason
    assert result.transcripts == ()


@pytest.mark.parametrize(
    "raised", [BudgetError("spent"), Stopped("interrupted"), SessionError("disk full")]
)
def test_what_ends_the_session_is_raised(raised: BaseException, tmp_path: Path) -> None:
    with pytest.raises(type(raised)):
        run(tmp_path, Asked(lambda _: raised))


def test_a_prompt_that_can_not_be_filled_is_no_failure_of_the_model(tmp_path: Path) -> None:
    document = {"prompt": [{"content": "{x:d}"}], "prompt_parameters": ["x"]}
    instance = Instance({"x": "no"}, {"x": "no"}, {}, "x", 1)
    asked = Asked()
    result = run(tmp_path, asked, instance, document=document)
    assert (result.verdict, result.error_kind, asked.requests) == ("error", "prompt", [])


def test_an_error_of_a_checker_is_told_as_such(tmp_path: Path) -> None:
    checker = {"checker_name": "LambdaChecker", "func": "lambda r: 1 / 0"}
    result = run(tmp_path, Asked(), document={"checker_args": checker})
    assert (result.verdict, result.error_kind) == ("error", "checker")
    assert result.responses == ("Hello",)


MULTI: Mapping[str, Any] = {
    "prompt": None,
    "multi_run_prompt": TWICE,
    "checker_args": {"checker_name": "MultiRunLambdaChecker", "func": "lambda rs: True"},
}


def test_all_runs_of_an_instance_make_one_result(tmp_path: Path) -> None:
    asked = Asked(lambda text: Completion(text.lower(), None, Usage(1, 1), 1, cached=True))
    result = run(tmp_path, asked, document=MULTI, price=Price(input=1.0, output=1.0))
    assert result.responses == ("hi", "ho")
    assert (result.usage, result.latency_s, result.cached) == (Usage(2, 2), 2, True)
    assert result.cost == 0


def test_an_instance_is_from_the_cache_only_as_a_whole(tmp_path: Path) -> None:
    asked = Asked(lambda text: Completion("x", usage=Usage(1, 0), cached=text == "Hi"))
    result = run(tmp_path, asked, document=MULTI, price=Price(input=1e6, output=0.0))
    assert (result.cached, result.cost) == (False, 1)


def test_runs_with_the_same_messages_ask_for_different_answers(tmp_path: Path) -> None:
    runs = [{"prompt": [{"content": "Hi"}], "repetitions": 3}, {"prompt": [{"content": "Ho"}]}]
    asked = Asked()
    run(tmp_path, asked, repeat=2, document={**MULTI, "multi_run_prompt": runs})
    assert [(r.messages[0].content, r.repeat) for r in asked.requests] == [
        ("Hi", 8), ("Hi", 9), ("Hi", 10), ("Ho", 8),
    ]  # fmt: skip


def test_recorded_answers_go_to_their_runs(tmp_path: Path) -> None:
    recorded = Recorded(("one", "two", "three"), passed=False)
    instance = Instance({}, {}, {}, "x", 1, recorded=recorded)
    asked = Asked()
    result = run(tmp_path, asked, instance, document=MULTI)
    assert [request.recorded for request in asked.requests] == ["one", "two"]
    assert result.recorded == "failed"


@pytest.mark.parametrize("passed", [True, False, None])
def test_the_recorded_verdict_is_kept_beside_the_new_one(
    passed: bool | None, tmp_path: Path
) -> None:
    instance = Instance({}, {}, {}, "x", 1, recorded=Recorded(("x",), passed=passed))
    expected = {True: "passed", False: "failed", None: None}[passed]
    assert run(tmp_path, Asked(), instance).recorded == expected
    assert run(tmp_path, Asked(lambda _: ModelError("x", kind="y")), instance).recorded == expected


def test_a_verdict_written_by_hand_is_no_earlier_one_of_a_model(tmp_path: Path) -> None:
    recorded = Recorded(("x",), passed=True, run_info={"source": "handwritten"})
    instance = Instance({}, {}, {}, "x", 1, recorded=recorded)
    assert run(tmp_path, Asked(), instance).recorded is None
    assert run(tmp_path, Asked(lambda _: ModelError("x", kind="y")), instance).recorded is None


@pytest.mark.parametrize(
    ("of_hi", "of_ho", "ends"),
    [
        (ModelError("a", kind="x"), BudgetError("spent"), BudgetError),
        (Stopped("interrupted"), ModelError("a", kind="x"), Stopped),
        (ModelError("a", kind="x"), ZeroDivisionError(), None),
        (ModelError("a", kind="x"), "fine", None),
    ],
)
def test_what_ends_the_session_counts_before_what_ends_a_run(
    of_hi: Any, of_ho: Any, ends: type[BaseException] | None, tmp_path: Path
) -> None:
    asked = Asked(lambda text: of_hi if text == "Hi" else of_ho)
    if ends is None:
        assert run(tmp_path, asked, document=MULTI).verdict == "error"
    else:
        with pytest.raises(ends):
            run(tmp_path, asked, document=MULTI)
    assert len(asked.requests) == 2, "what is under way has been paid for"


def test_rows_are_looked_at_once_and_not_with_every_repeat(tmp_path: Path) -> None:
    seen: list[int] = []
    for repeat in range(3):
        run(tmp_path, Asked(), repeat=repeat, warn_of_row=lambda row: seen.append(row.line))
    assert seen == [3]


def test_several_turns_are_answered_by_name(tmp_path: Path) -> None:
    prompt = [{"content": "a"}, {"role": "assistant", "variable": "first"}, {"content": "b"}]
    checker = {"checker_name": "LambdaChecker", "func": "lambda r: True"}
    asked = Asked(lambda text: text.upper())
    result = run(tmp_path, asked, document={"prompt": prompt, "checker_args": checker})
    assert result.responses == ({"first": "A", "response": "B"},)


def test_what_a_checker_sees_of_an_instance_is_each_at_its_place() -> None:
    instance = Instance({"a": 1, "seed": 2}, {"a": 1}, {"seed": 2}, "x.jsonl", 1, reference="r")
    transcripts = (Transcript((Message("hi"),)),)
    assert context_of(instance, transcripts, 0.5) == CheckContext(
        transcripts=transcripts,
        parameters={"a": 1},
        reference="r",
        args={"a": 1, "seed": 2},
        cost=0.5,
    )
