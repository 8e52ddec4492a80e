"""What callers from Python give is checked where it comes in."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from support.folders import write_test

import lve
from lve.errors import UsageError

COUNT = "must be a whole number from 1 on"
FLAG = "must be True or False"


@pytest.mark.parametrize(
    ("option", "value", "wanted"),
    [
        *[("max_connections", value, COUNT) for value in (0, -1, "x", 1.5, True)],
        *[("repeats", value, COUNT) for value in (0, -2, "x")],
        *[("max_tests", value, COUNT) for value in (0, None)],
        *[("max_requests", -3, COUNT), ("max_tokens_total", 0, COUNT)],
        ("index", -1, "must be a whole number from 0 on"),
        *[("max_cost", value, "must be a number from 0 on") for value in (-1, float("nan"))],
        *[("timeout_s", value, "must be a number of seconds above 0") for value in (0, "5")],
        ("deadline_s", float("inf"), "must be a number of seconds above 0"),
        *[("parameters", value, "must be a dict with texts as keys") for value in ([1], {1: "x"})],
        *[("model_args", value, "must be a dict with texts as keys") for value in ("a=1", [])],
        *[("instances", value, "must be a list of names") for value in (5, [5])],
        *[("trust", "no", FLAG), ("use_cache", None, FLAG), ("keep", 1, FLAG)],
        *[("base_url", 5, "must be a text"), ("state", 5, "must be a path")],
    ],
)
def test_an_option_that_can_not_be_used_is_named(
    option: str, value: Any, wanted: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=f"^{option} {wanted}.*, not "):
        lve.run(write_test(tmp_path / "t"), **{option: value})
    assert not list(tmp_path.rglob("runs"))


@pytest.mark.parametrize("value", [5, None, object()])
def test_what_is_no_path_is_refused(value: Any) -> None:
    with pytest.raises(
        UsageError, match=r"^tests must be a path or a lve\.Spec, or a list of them, "
    ):
        lve.run(value)
    with pytest.raises(UsageError, match=r"^tests must be .*, or a list of them; .* is in it"):
        asyncio.run(lve.arun(["t", value]))
    with pytest.raises(UsageError, match=r"^path must be a path, not "):
        lve.load(value)
    with pytest.raises(UsageError, match=r"^paths must be a path, or a list of them, not "):
        lve.discover(value)


def test_whatever_is_like_a_path_is_one(root: Path) -> None:
    class Like(os.PathLike[str]):
        def __fspath__(self) -> str:
            return str(root / "t")

    write_test(root / "t")
    assert lve.run(Like()).passed  # type: ignore[arg-type]
    assert [path.name for path in lve.discover(Like())] == ["test.json"]  # type: ignore[arg-type]


def test_the_members_that_a_model_lacks_are_named() -> None:
    class Half:
        name = "m"

        def complete(self) -> None: ...

    with pytest.raises(UsageError, match=r"ChatModel, not Half: it has no identity, aclose$"):
        lve.run("t", model=Half())  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [5, None, ""])
def test_a_model_has_a_text_as_its_name(name: Any) -> None:
    with pytest.raises(UsageError, match=r"^the name of a model must be a text, not "):
        lve.run("t", model=lve.ScriptedModel(["x"], name=name))


def test_a_model_has_a_dict_or_nothing_as_its_identity() -> None:
    class Whole(lve.ScriptedModel):
        identity: Any = 5

    with pytest.raises(
        UsageError, match=r"^the identity of model 'm' must be a dict or None, not 5"
    ):
        lve.run("t", model=Whole(["x"], name="m"))
