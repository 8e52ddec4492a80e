"""Questions to models that have roles."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.command_line import call
from support.folders import workspace, write_test
from support.judges import yes
from support.openai_answers import Reply
from support.server import model_server

from lve.checkers.questions import Question
from lve.errors import BudgetError, TransientModelError
from lve.execution.retry import RetryPolicy
from lve.messages import Completion, Message, Usage
from lve.options.run_options import RunOptions
from lve.pipeline.roles.role_models import RoleModels
from lve.settings.settings import Settings


class Asked:
    """A completer whose answers wait until the test lets them go."""

    def __init__(self, *outcomes: Completion | BaseException) -> None:
        self.model, self.price = SimpleNamespace(name="j"), None
        self.requests = 0
        self.go = asyncio.Event()
        self._outcomes = outcomes

    async def complete(self, request: object) -> Completion:
        outcome = self._outcomes[min(self.requests, len(self._outcomes) - 1)]
        self.requests += 1
        await self.go.wait()
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome


def models(asked: Asked) -> RoleModels:
    return RoleModels(lambda _: asked, None, Settings(), RunOptions())  # type: ignore[arg-type,return-value]


QUESTION = Question("judge", (Message("Is it?"),))
SAID = Completion("yes", usage=Usage(10, 5))


def test_equal_questions_at_the_same_time_are_asked_once_and_paid_for_once() -> None:
    async def answers() -> tuple[Any, int]:
        asked = Asked(SAID)
        roles = models(asked)
        together = asyncio.gather(*[roles.answer(QUESTION) for _ in range(6)])
        await asyncio.sleep(0)
        asked.go.set()
        first = await together
        await roles.answer(QUESTION)
        return first, asked.requests

    first, requests = asyncio.run(answers())
    assert {answer.completion.text for answer in first} == {"yes"}
    assert [answer.completion.cached for answer in first] == [False, *[True] * 5]
    assert requests == 2, "a later one is a matter of the cache"


def test_other_votes_and_other_questions_are_asked_apart() -> None:
    async def requests() -> int:
        asked = Asked(SAID)
        asked.go.set()
        roles = models(asked)
        others = [
            QUESTION,
            Question("judge", QUESTION.messages, vote=1),
            Question("user", QUESTION.messages),
            Question("judge", (Message("Is it not?"),)),
        ]
        await asyncio.gather(*map(roles.answer, others))
        return asked.requests

    assert asyncio.run(requests()) == 4


def test_a_failure_is_shared_and_not_kept() -> None:
    async def answers() -> Any:
        asked = Asked(TransientModelError("asleep", kind="timeout"), SAID)
        roles = models(asked)
        waiting = asyncio.gather(*[roles.answer(QUESTION) for _ in range(3)])
        await asyncio.sleep(0)
        asked.go.set()
        return await waiting, await roles.answer(QUESTION), asked.requests

    together, later, requests = asyncio.run(answers())
    assert [answer.problem for answer in together] == ["asleep"] * 3
    assert later.completion == SAID
    assert requests == 2


def test_who_waits_asks_itself_if_the_first_is_cancelled_or_has_no_budget() -> None:
    async def after(first_outcome: BaseException | None) -> Any:
        asked = Asked(first_outcome or SAID, SAID)
        roles = models(asked)
        first, second = (asyncio.ensure_future(roles.answer(QUESTION)) for _ in range(2))
        await asyncio.sleep(0)
        if first_outcome is None:
            first.cancel()
            await asyncio.sleep(0)
        asked.go.set()
        with pytest.raises((asyncio.CancelledError, BudgetError)):
            await first
        return (await second).completion, asked.requests

    assert asyncio.run(after(None)) == (SAID, 2)
    assert asyncio.run(after(BudgetError("used up"))) == (SAID, 2)


def test_who_waits_can_be_cancelled_alone() -> None:
    async def outcome() -> Any:
        asked = Asked(SAID)
        roles = models(asked)
        first, second = (asyncio.ensure_future(roles.answer(QUESTION)) for _ in range(2))
        await asyncio.sleep(0)
        second.cancel()
        asked.go.set()
        return (await first).completion, asked.requests

    assert asyncio.run(outcome()) == (SAID, 1)


@pytest.mark.parametrize("options", [(), ("--no-cache",)])
def test_six_repeats_with_equal_answers_ask_the_judge_once(
    options: tuple[str, ...], root: Path
) -> None:
    with model_server("Hello!") as tested, model_server(lambda _: Reply(yes(), delay_s=0.3)) as j:
        entries = {"m": {"base_url": tested.url, "model": "m"}, "j": {"base_url": j.url}}
        entries["j"]["model"] = "j"
        workspace(root, json.dumps({"models": entries, "roles": {"judge": "j"}}))
        write_test(
            root / "t",
            prompt=[{"role": "user", "content": "Greet."}],
            prompt_parameters=None,
            check={"judge": "It is kind."},
            checker_args=None,
            model=None,
            instances=[{"args": {}}],
        )
        code, out, err = call("run", "t", "-m", "m", "--repeats", "6", *options)
        assert code == 0, out + err
        assert (len(tested.requests), len(j.requests)) == (6, 1)


def test_an_answer_without_content_is_asked_for_as_often_as_after_other_errors(root: Path) -> None:
    """And one that is cut off has none because of that."""

    def requests(reply: Any) -> tuple[int, str]:
        with model_server("Hello!") as tested, model_server(reply) as judge:
            entries = {"m": {"base_url": tested.url, "model": "m"}, "j": {"base_url": judge.url}}
            entries["j"]["model"] = "j"
            workspace(root, json.dumps({"models": entries, "roles": {"judge": "j"}}))
            write_test(
                root / "t",
                prompt=[{"role": "user", "content": "Greet."}],
                prompt_parameters=None,
                check={"judge": "It is kind."},
                checker_args=None,
                model=None,
                instances=[{"args": {}}],
            )
            code, out, err = call("run", "t", "-m", "m", "--deadline", "3", "--no-cache")
            assert code != 0
            return len(judge.requests), out + err

    empty, said = requests(Reply(None))
    assert "the answer has no content" in said
    assert 2 <= empty <= RetryPolicy().max_attempts
    cut, said = requests(Reply(None, "length"))
    assert cut == 2
    assert "finish_reason: length" in said
