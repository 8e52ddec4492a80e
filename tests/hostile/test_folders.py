"""Every hostile folder of cases/*.yaml through check, render, run or pytest, beside good tests;
in `make fuzz` through all four.

Nothing of it is executed, nothing outside is opened, no socket but the model's; one clear sentence
each, in bounded time and memory; and the good tests beside it still run. A new case is an entry in
a YAML file (tests/hostile/recipes.py says how): no Python.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from hostile.doors import (
    Doors,
    answers,
    argv_of,
    hostile_workspace,
    problems_of,
    verdicts_of,
)
from hostile.recipes import DOORS, Case, Traps, groups_of, joined, load_cases
from support.openai_answers import Received
from support.server import ModelServer, model_server

CASES = load_cases()
GROUPS = groups_of(CASES)
NOWHERE = Traps(Path("/nonexistent"), Path("/nonexistent"), "http://127.0.0.1:9/v1")


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    """The model of all cases: it says what the case that it is asked for wants it to say."""
    texts = answers(CASES, NOWHERE)
    with model_server(lambda request: texts.get(_model_of(request), "4")) as server:
        yield server


@pytest.fixture(scope="module")
def trap() -> Iterator[ModelServer]:
    """A server that nobody may ask."""
    with model_server("trapped") as server:
        yield server


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory, model: ModelServer) -> Doors:
    """What runs the commands."""
    return Doors(tmp_path_factory.mktemp("doors"), model.port)


def _model_of(request: Received) -> str:
    return str(request.json.get("model"))


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group[0].id)
def test_hostile_folders_achieve_nothing(
    group: list[Case], doors: Doors, model: ModelServer, trap: ModelServer, tmp_path: Path
) -> None:
    """Where a group achieves something, its cases are tried one by one: which was it?"""
    problems = _achieved(group, doors, model, trap, tmp_path / "together")
    if problems and len(group) > 1:
        for case in group:
            alone = _achieved([case], doors, model, trap, tmp_path / case.id)
            problems += [f"{case.id}, alone: {problem}" for problem in alone]
    assert not problems, "\n".join(problems)


def _achieved(
    group: list[Case], doors: Doors, model: ModelServer, trap: ModelServer, place: Path
) -> list[str]:
    """Send cases through their doors, all in one workspace, and return what must not be."""
    asked = len(trap.requests)
    problems: list[str] = []
    texts = ""
    case = joined(group)
    with hostile_workspace(place, case, trap.url) as (workspace, traps):
        for door in case.doors:
            outcome = doors.run(workspace, case, argv_of(door, case, model.url))
            found = problems_of(door, case, outcome, workspace, traps)
            problems += [f"{door}: {problem}" for problem in found]
            texts += outcome.text
            if door == "run":
                problems += _other_verdicts(group, workspace)
    if len(trap.requests) > asked:
        problems.append(f"{len(trap.requests) - asked} requests went elsewhere")
    if case.says is not None and case.says not in texts:
        problems.append(f"nowhere says {case.says!r}")
    return [*problems, texts[:4000]] if problems else []


def _other_verdicts(group: list[Case], workspace: Path) -> Iterator[str]:
    """Say which of the cases did not come to the verdict that they must."""
    for case in group:
        if case.verdict is not None:
            verdicts = verdicts_of(case, workspace)
            if verdicts != {case.verdict}:
                yield f"run: {case.id}: {', '.join(sorted(verdicts))} instead of {case.verdict}"


def test_what_a_folder_achieved_would_be_seen(
    model: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here the model is a stranger: the watch is told of another one."""
    doors = Doors(tmp_path, model.port + 1)
    case = Case("watched", {})
    argv = argv_of("run", case, model.url)
    with hostile_workspace(tmp_path / "a", case, model.url) as (workspace, traps):
        outcome = doors.run(workspace, case, argv)
        assert f"socket.connect: ('127.0.0.1', {model.port})" in outcome.found
        assert outcome.exit == 0, outcome.text
        assert 0 < outcome.cpu_s <= outcome.wall_s
        assert outcome.memory_mb > 10
        assert f"audit: {outcome.found[0]}" in problems_of("run", case, outcome, workspace, traps)
        monkeypatch.setattr("hostile.doors.WALL_SECONDS", 0.05)
        assert doors.run(workspace, case, argv).exit < 0


def test_there_are_enough_of_them() -> None:
    folders = dict.fromkeys(DOORS, 0)
    for case in (case for group in GROUPS for case in group):
        for door in case.doors:
            folders[door] += len(case.folders)
    assert sum(len(case.folders) for case in CASES) >= 200
    assert min(folders.values()) >= 50, folders


def test_none_is_refused_for_what_it_lacks() -> None:
    """A document without a checker is invalid, and what is hostile in it is never reached."""
    for case in CASES:
        for name, files in case.folders.items():
            document = _document(files)
            has_checker = {"checker_args", "checkers", "infer_cfg"} & set(document)
            assert has_checker or "prompt_object" not in document, f"{case.id}: {name}"


def _document(files: Mapping[str, Any]) -> dict[str, Any]:
    """Return a test document that is written down whole, as it is."""
    for file in ("test.json", "test.yaml"):
        if isinstance(files.get(file), str):
            try:
                document = yaml.safe_load(files[file])
            except (yaml.YAMLError, ValueError, TypeError):
                continue
            return document if isinstance(document, dict) else {}
    return {}
