"""The models of a session: made once, with one cache and each with its connections."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from support.folders import workspace

from lve.execution.stop import StopSignal
from lve.messages import Message
from lve.models.chat_model import ChatRequest
from lve.models.scripted import ScriptedAnswer, ScriptedModel
from lve.options.run_options import RunOptions
from lve.pipeline.resources.resources import Resources
from lve.pipeline.session_models import SessionModels
from lve.settings.settings import Settings
from lve.workspace import Workspace


def models_of(root: Path, options: RunOptions, settings: Settings | None = None) -> SessionModels:
    place = Workspace(workspace(root), settings or Settings())
    return SessionModels(place, options, Resources(options), StopSignal(), warn=pytest.fail)


def test_a_model_with_a_second_completer_takes_its_connections_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned: list[int] = []

    def all_wanted(model: str, wanted: int, others: int, **_: object) -> int:
        planned.append(others)
        return wanted

    monkeypatch.setattr("lve.pipeline.session_models.fitting_connections", all_wanted)
    settings = Settings(role_budgets={"judge": {"max_requests": 9}})
    roles = {"judge": "dummy/judge"}
    options = RunOptions(roles=roles, max_connections=7, use_cache=False, keep=False)

    async def run() -> None:
        models = models_of(tmp_path, options, settings)
        assert models.role("judge") is not models.completers["dummy/judge"]
        models.prepare("dummy/other")
        await models.close()

    asyncio.run(run())
    assert planned == [0, 7]


class KnownModel(ScriptedModel):
    """A scripted model whose answers may be cached."""

    @property
    def identity(self) -> dict[str, str]:
        return {"model": "known"}


@pytest.mark.parametrize(("refresh", "expected"), [(False, "first"), (True, "second")])
def test_a_refresh_asks_again_and_stores_the_new_answer(
    tmp_path: Path, refresh: bool, expected: str
) -> None:
    async def answer(text: str, **given: Any) -> str:
        model = KnownModel([ScriptedAnswer(text)])
        options = RunOptions(own_models={"known": model}, **given)
        models = models_of(tmp_path, options)
        try:
            found = await models.completer("known").complete(ChatRequest((Message("Hello?"),)))
        finally:
            await models.cache.close()
            await models.close()
        return found.text

    assert asyncio.run(answer("first")) == "first"
    assert asyncio.run(answer("second", refresh=refresh)) == expected
    assert asyncio.run(answer("third")) == expected
