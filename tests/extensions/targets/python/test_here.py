"""Functions of this process as models."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from extensions.targets.targets import asked, run, target, write_test

import lve
from lve.errors import PermanentModelError, UsageError
from lve.extensions.targets.python.here import FunctionModel
from lve.messages import Message
from lve.models.chat_model import ChatRequest


def shout(prompt: str) -> str:
    return prompt.upper()


async def polite(messages: list[dict[str, Any]]) -> lve.Completion:
    return lve.Completion(f"Dear {messages[-1]['content']}")


def test_sync_and_async_functions_answer() -> None:
    assert asked(FunctionModel(shout), "a")[0].text == "A"
    assert asked(FunctionModel(polite), "b")[0].text == "Dear b"


def test_a_sync_function_does_not_block_the_others() -> None:
    both = threading.Barrier(2, timeout=10)

    def meet(prompt: str) -> str:
        both.wait()
        return prompt

    assert [c.text for c in asked(FunctionModel(meet), "a", "b")] == ["a", "b"]


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (lambda p: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda p: (_ for _ in ()).throw(TimeoutError("its own")), "TimeoutError: its own"),
        (lambda p: sys.exit(3), r"RuntimeError: SystemExit\(3\)"),
        (lambda p: next(iter(())), "StopIteration"),
        (lambda p: None, "it returned None"),
        (lambda p: {"txt": p}, "did you mean `text`"),
        (lambda p: {"error": "no"}, "no"),
    ],
)
def test_a_function_that_fails_is_an_error(function: Any, why: str) -> None:
    with pytest.raises(PermanentModelError, match=why):
        asked(FunctionModel(function), "hi")


def test_one_that_hangs_is_left_behind() -> None:
    request = ChatRequest((Message("hi"),), timeout_s=0.2)
    with pytest.raises(PermanentModelError, match=r"within 0\.2 s .*isn't asked again"):
        asked(FunctionModel(lambda p: threading.Event().wait(5) or p), request)


def test_a_system_message_is_not_lost_unnoticed() -> None:
    from lve.messages import Role

    request = ChatRequest((Message("Be kind.", Role.system), Message("hi")))
    with pytest.raises(PermanentModelError, match="lost: give the function a parameter `messages`"):
        asked(FunctionModel(shout), request)


def test_lve_run_takes_functions(tmp_path: Path) -> None:
    (tmp_path / "lve.yaml").write_text("{}", encoding="utf-8")
    folder = write_test(tmp_path, [{"w": "a"}, {"w": "b"}], prompt="{w}", check={"text": "{w}"})
    result = run(folder, model=[shout, polite])
    assert {one.model for one in result.results} == {"shout", "polite"}
    assert [one.responses for one in result.results if one.model == "shout"] == [("A",), ("B",)]


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="neither the prompt"):
        run(tmp_path, model=lambda: "x")
    with pytest.raises(UsageError, match="not a class"):
        run(tmp_path, model=dict)
    with pytest.raises(UsageError, match="two models have the name"):
        run(tmp_path, model=[lambda p: p, lambda q: q])


@pytest.mark.parametrize(
    "source",
    ["raise ValueError('odd')", "return 7", "return {'txt': p}", "return {'error': 'no'}"],
)
def test_an_error_is_the_same_in_this_process_and_in_one_of_its_own(
    tmp_path: Path, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "odd.py").write_text(f"def answer(p):\n  {source}\n", encoding="utf-8")
    here: dict[str, Any] = {}
    exec(compile((tmp_path / "odd.py").read_text("utf-8"), tmp_path / "odd.py", "exec"), here)
    errors = []
    for model in (
        FunctionModel(here["answer"]),
        target(tmp_path, "python", {"function": "odd:answer"}),
    ):
        with pytest.raises(PermanentModelError) as raised:
            asked(model, "hi")
        errors.append((raised.value.kind, str(raised.value)))
    assert errors[0] == errors[1]
    assert errors[0][0] == "application"
