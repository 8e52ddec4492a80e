"""What all applications have in common: sessions, versions, and what they aren't sent."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from extensions.targets.application import application
from extensions.targets.targets import asked as targets_asked
from extensions.targets.targets import target

from lve.errors import PermanentModelError, SettingsError
from lve.extensions.targets.python.here import FunctionModel
from lve.extensions.targets.reply import Reply
from lve.extensions.targets.request import AppRequest, Takes
from lve.extensions.targets.target_model import Attempt, TargetModel
from lve.messages import Completion, Message
from lve.models.chat_model import ChatModel, ChatRequest
from lve.models.config import ModelConfig
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings

ALL = Takes()
PROMPT_ONLY = frozenset({"prompt"})


class Fixed(TargetModel):
    """Answers with the session that it is given."""

    session: str | None = None

    async def answer(self, request: AppRequest, attempt: Attempt) -> Reply:
        attempt.add_text("begins")
        return Reply("done", session=self.session)

    async def aclose(self) -> None:
        pass


def fixed(takes: Takes = ALL, version: str | None = None, **config: Any) -> Fixed:
    own = ModelConfig("app", ModelSettings(), Settings(), None, 4, **config)
    return Fixed(own, takes, {"url": "x"}, version)


def asked(model: Fixed, **args: Any) -> Completion:
    return asyncio.run(model.complete(ChatRequest((Message("hi"),), args=args)))


def test_an_answer_of_another_session_is_no_answer() -> None:
    model = fixed()
    model.session = "another"
    with pytest.raises(PermanentModelError, match="mixes conversations"):
        asked(model)
    began = fixed(Takes(own_session=False))
    began.session = "its own"
    assert asked(began).provider_state == {"api": "target", "target": "app", "session": "its own"}


@pytest.mark.parametrize(
    ("is_function", "lacks"),
    [(False, "(no `{args.top_k}`)"), (True, "(no parameter `args`)")],
)
def test_an_arg_that_is_not_sent_is_told_once(is_function: bool, lacks: str) -> None:
    told: list[str] = []
    model = fixed(Takes(PROMPT_ONLY, is_function=is_function), tell=told.append)
    for _ in range(2):
        asked(model, top_k=3, max_tokens=9)
    assert told == [f"app: `top_k` isn't sent to the application {lacks}"]
    assert asked(fixed(ALL, tell=told.append), top_k=3).text == "done"
    assert len(told) == 1


def test_only_an_application_with_a_version_that_remembers_nothing_is_cached() -> None:
    remembers = Takes(frozenset({"prompt", "session"}))
    assert fixed().identity is None
    assert fixed(remembers, "2").identity is None
    assert fixed(version="2").identity == {"provider": "target", "version": "2", "url": "x"}


def test_the_first_piece_of_an_answer_is_timed() -> None:
    assert asked(fixed()).first_token_s is not None


def test_an_application_has_no_base_url() -> None:
    config = ModelConfig("app", ModelSettings(base_url="http://x"), Settings(), None, 4)
    with pytest.raises(SettingsError, match="not in `base_url`"):
        Fixed(config, ALL, {}, None)
    with pytest.raises(SettingsError, match="not in `base_url`"):
        Fixed(config._replace(entry=ModelSettings(), base_url="http://x"), ALL, {}, None)


@pytest.mark.parametrize("kind", ["exec", "http", "python", "function"])
def test_who_listens_hears_the_answer_of_each_kind(tmp_path: Path, kind: str) -> None:
    heard: list[str] = []
    (tmp_path / "answers.py").write_text("def answer(prompt): return 'Paris'\n")
    with application(lambda _: {"text": "Paris"}) as app:
        options: dict[str, dict[str, Any]] = {
            "exec": {"command": ["sh", "-c", "cat >/dev/null; echo Paris"]},
            "http": {"url": app.url, "body": {"q": "{prompt}"}, "answer": "$.text"},
            "python": {"function": "answers:answer", "workers": 1},
        }
        model: ChatModel = (
            FunctionModel(lambda prompt: "Paris")
            if kind == "function"
            else target(tmp_path, kind, options[kind])
        )
        request = ChatRequest((Message("hi"),), stream=True, listen=lambda: heard.append)
        [completion] = targets_asked(model, request)
    assert (completion.text, heard) == ("Paris", ["Paris"])


def test_each_piece_that_says_something_is_passed_on_and_the_first_is_timed() -> None:
    pieces: list[str] = []
    attempt = Attempt(9.0, pieces.append)
    attempt.add_text("")
    assert (pieces, attempt.first_token_s) == ([], None)
    attempt.add_text("a")
    first = attempt.first_token_s
    assert first is not None
    attempt.add_text("")
    attempt.add_text("b")
    assert (pieces, attempt.first_token_s) == (["a", "b"], first)
    assert 0 < attempt.left_s <= 9
    assert Attempt(-1.0, None).left_s == 0
