"""Models by role, through every door."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call
from support.folders import workspace, write_test
from support.server import model_server

import lve
from lve.errors import UsageError
from lve.messages import Message
from lve.models.chat_model import ChatRequest
from lve.options.run_options import RunOptions
from lve.pipeline.engine import Engine
from lve.spec.settings_file import load_workspace

DUMMY = ["--model", "dummy/dummy"]


def info(root: Path) -> dict[str, Any]:
    folder = max((root / ".lve" / "runs").iterdir())
    found: dict[str, Any] = json.loads((folder / "session.json").read_text())
    return found


def test_a_test_without_its_role_can_not_run_and_the_others_do(root: Path) -> None:
    write_test(root / "judged", roles=["judge"], model=None)
    write_test(root / "plain", model=None)
    code, out, err = call("run", "judged", "plain", *DUMMY)
    assert code == 2
    assert "judged needs a model for the role `judge`" in out + err
    assert "give one with --role judge=MODEL" in out + err
    assert "1 passed" in out


@pytest.mark.parametrize("is_typed", [True, False])
def test_the_command_line_or_the_settings_give_a_role_its_model(root: Path, is_typed: bool) -> None:
    workspace(root, "" if is_typed else "roles: {judge: replay}")
    write_test(root / "t", roles=["judge"])
    code, _, err = call("run", "t", *(["--role", "judge=replay"] if is_typed else []))
    assert (code, "judged by itself" in err) == (0, False)
    assert info(root)["roles"] == {"judge": "replay"}


def test_the_command_line_wins_over_the_settings(root: Path) -> None:
    workspace(root, "roles: {judge: nobody/nothing, user: replay}")
    write_test(root / "t", roles=["judge", "user"])
    assert call("run", "t", "--role", "judge=replay")[0] == 0
    assert info(root)["roles"] == {"judge": "replay", "user": "replay"}


def test_a_judge_that_is_the_model_under_test_is_a_warning(root: Path) -> None:
    settings = {"provider": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1"}
    workspace(root, json.dumps({"models": {"a": settings, "b": settings}, "roles": {"judge": "b"}}))
    write_test(root / "t", roles=["judge"])
    write_test(root / "u", roles=["judge"])
    _, _, err = call("run", "t", "u", "--model", "a", "--deadline", "1")
    assert err.count("a is judged by itself (judge: b)") == 1
    assert "judged by itself" in call("run", "t", *DUMMY, "--role", "judge=dummy/dummy")[2]
    assert "judged by itself" not in call("run", "t", *DUMMY, "--role", "judge=replay")[2]


def test_a_roles_model_that_does_not_exist_is_said_with_its_test(root: Path) -> None:
    write_test(root / "t", roles=["judge"])
    code, out, err = call("run", "t", "--role", "judge=opnai/x")
    assert code == 2
    assert "did you mean `openai/x`" in out + err


@pytest.mark.parametrize("typed", ["judge", "=x", "judge="])
def test_a_role_is_typed_with_its_model(root: Path, typed: str) -> None:
    write_test(root / "t")
    with pytest.raises(Exception, match=f"^'{typed}' is not NAME=VALUE$"):
        call("run", "t", "--role", typed)


def test_the_tested_model_is_a_role_too(root: Path) -> None:
    write_test(root / "t", model=None)
    assert call("run", "t", "--role", "model=dummy/dummy")[0] == 0
    workspace(root, "roles: {model: dummy/dummy}")
    assert call("run", "t")[0] == 0


def test_python_gives_roles(root: Path) -> None:
    write_test(root / "t", roles=["judge"])
    assert lve.run("t", roles={"judge": "replay"}).passed
    without = lve.run("t")
    assert without.exit_code() == 2
    assert "role `judge`" in str(without.invalid[0].problems[0])
    with pytest.raises(UsageError, match="roles must be a dict of texts"):
        lve.run("t", roles={"judge": 3})  # type: ignore[dict-item]


def test_a_resumed_session_keeps_its_roles(root: Path) -> None:
    write_test(root / "t", roles=["judge"], repeats=3)
    with model_server("Hello") as server:
        at = ["--base-url", server.url]
        words = ["--model", "openai/m", "--role", "judge=replay", "-j", "1"]
        assert call("run", "t", *at, *words, "--max-requests", "1")[0] == 6
        assert call("run", "--resume", "last", *at, "--max-requests", "9")[0] == 0
    with pytest.raises(UsageError, match="--role can't change"):
        call("run", "--resume", "last", *at, "--role", "judge=dummy/dummy")


def test_a_roles_model_is_asked_at_its_own_address_with_its_own_price(root: Path) -> None:
    write_test(root / "t", roles=["judge"])

    async def ask(engine: Engine) -> tuple[str, str]:
        try:
            tested, judge = engine.models.completer("openai/m"), engine.models.role("judge")
            assert judge.price is not None
            assert tested.price is None
            request = ChatRequest((Message("Compute 2 + 3"),))
            return (await tested.complete(request)).text, (await judge.complete(request)).text
        finally:
            await engine.close()

    with model_server("tested") as one, model_server("judge") as other:
        entry = {"base_url": other.url, "model": "j", "price": {"input": 1, "output": 1}}
        workspace(root, json.dumps({"models": {"j": entry}}))
        options = RunOptions(base_url=one.url, roles={"judge": "j"})
        engine = Engine(load_workspace(root), options, warn=print)
        assert asyncio.run(ask(engine)) == ("tested", "judge")
        assert engine.models.completers["j"].traffic.requests == 1
        assert (len(one.requests), len(other.requests)) == (1, 1)


def test_a_role_that_nobody_fills_is_an_error_for_who_asks(root: Path) -> None:
    workspace(root)
    engine = Engine(load_workspace(root), RunOptions(), warn=print)
    with pytest.raises(UsageError, match="there is no model for the role `user`"):
        engine.models.role("user")
