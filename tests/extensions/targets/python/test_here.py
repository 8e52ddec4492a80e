"""Functions of this process as models."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from support.targets import asked, run, write_test

import lve
from lve.errors import PermanentModelError, TransientModelError, UsageError
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
        (lambda p: 1 / 0, "the function <lambda> crashed: ZeroDivisionError"),
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
    with pytest.raises(TransientModelError, match=r"within 0\.2 s"):
        asked(FunctionModel(lambda p: threading.Event().wait(5) or p), request)


def test_a_system_message_is_not_lost_unnoticed() -> None:
    from lve.messages import Role

    request = ChatRequest((Message("Be kind.", Role.system), Message("hi")))
    with pytest.raises(PermanentModelError, match="the system message would be lost"):
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
