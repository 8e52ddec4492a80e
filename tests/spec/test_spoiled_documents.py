"""Documents with one place changed each: what is told, or what is sent (tests/cases/spoiled).

Each value of the documents there is left out, emptied or replaced in turn, and each document is
rendered for models of all kinds. `make records` writes results.json anew: each change of it is
meant, and seen in the diff.
"""

from __future__ import annotations

import copy
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

sys.path.insert(0, str(Path(__file__).parent))

from lve.checkers.static import bind_statically, check_statically
from lve.errors import LveError, Problem
from lve.extensions.rendering.rendering import RenderSelection, render_test, rendered_json
from lve.pipeline.choosing.loading import choose_workspace
from lve.settings.settings import Settings
from lve.spec.load import load_spec

CASES = Path(__file__).parents[1] / "cases" / "spoiled"
DOCUMENTS = sorted(path.parent.name for path in CASES.glob("*/test.*"))
RETRIEVERS = (
    "Zero",
    "FixK",
    "Random",
    "SlidingWindow",
    "BM25",
    "Topk",
    "Votek",
    "DPP",
    "MDL",
    "No",
)
INFERENCERS = ("Gen", "PPL", "CLP", "LL", "Chat", "MultiTurnGen", "No")
OTHERS: dict[str, tuple[Any, ...]] = {
    "type": (*(f"{name}Retriever" for name in RETRIEVERS),
             *(f"{name}Inferencer" for name in INFERENCERS),
             "PromptTemplate", "RawPromptTemplate", "MultiTurnPromptTemplate"),
    "role": ("user", "system", "assistant", "tool", "HUMAN", "BOT", "SYSTEM"),
    "infer_mode": ("every", "last", "every_with_gt"),
    "ice_num": (0, 1, 2, 4, 5, 99, -1),
    "dialect": ("opencompass", "aisbench"),
}  # fmt: skip
"""Further values of keys."""


def changed(document: Any) -> Iterator[tuple[str, Any]]:
    """Yield a document with one place changed each, and what was changed."""
    yield "", document
    for place in places(document):
        holder = at(document, place[:-1])
        value = holder[place[-1]]
        name = ".".join(map(str, place))
        yield f"{name} absent", without(document, place)
        values: list[Any] = [7 if isinstance(value, str) else "x"]
        if isinstance(value, str | list | dict):
            values.append(type(value)())
        if isinstance(value, dict):
            values.append({**value, "unheard_of": 1})
        if isinstance(value, list):
            values.append([*value[::-1], *value[:1]])
        for other in (*values, *OTHERS.get(str(place[-1]), ())):
            spoiled = copy.deepcopy(document)
            at(spoiled, place[:-1])[place[-1]] = other
            yield f"{name}: {json.dumps(other)[:60]}", spoiled


def places(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, Mapping) else enumerate(value)
    for key, inner in items:
        yield (*before, key)
        if isinstance(inner, dict | list):
            yield from places(inner, (*before, key))


def at(value: Any, place: tuple[Any, ...]) -> Any:
    for step in place:
        value = value[step]
    return value


def without(document: Any, place: tuple[Any, ...]) -> Any:
    spoiled = copy.deepcopy(document)
    del at(spoiled, place[:-1])[place[-1]]
    return spoiled


def told(folder: Path, settings: Settings, model: str | None = None) -> list[str] | dict[str, Any]:
    """Return the problems of the test in a folder, or what it sends, by place."""
    problems: list[Problem] = []
    sent: dict[str, Any] = {}
    try:
        spec = load_spec(folder, folder.parent)
        sent["warnings"] = [str(warning) for warning in spec.warnings]
        problems += check_statically(spec, bind_statically(spec))
        rendered = render_test(spec, settings, RenderSelection(limit=2, model=model), problems)
        if rendered is not None:
            document = rendered_json(rendered)
            sent |= {name: document[name] for name in ("prompts", "instances")}
    except LveError as error:
        return str(error).splitlines()
    if problems:
        return [str(problem) for problem in problems]
    return dict(leaves(json.loads(json.dumps(sent, default=str))))


def leaves(value: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each value of nested ones that isn't empty, with its place."""
    if isinstance(value, dict | list) and value:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in items:
            yield from leaves(inner, f"{before}.{key}" if before else str(key))
    elif value not in (None, [], {}):
        yield before, value


def shortened(whole: Any, now: Any) -> Any:
    """Return what differs from the unchanged document: problems, or the first places."""
    if not isinstance(whole, dict) or not isinstance(now, dict):
        return now
    names = [name for name in dict.fromkeys([*whole, *now]) if whole.get(name) != now.get(name)]
    first = {name: now.get(name) for name in names[:4]}
    return {**first, "places": len(names)} if names else "the same"


def results(name: str, root: Path) -> dict[str, Any]:
    """Return what is told of each change of a document."""
    folder = Path(shutil.copytree(CASES / name, root / name))
    (source,) = folder.glob("test.*")
    document = yaml.safe_load(source.read_text(encoding="utf-8"))
    source.unlink()
    settings = choose_workspace([str(root)]).settings
    given: dict[str, Any] = {}
    whole: Any = None
    for label, spoiled in changed(document):
        (folder / "test.json").write_text(json.dumps(spoiled, indent=1), encoding="utf-8")
        now = told(folder, settings)
        whole = now if whole is None else whole
        given[label] = now if now is whole else shortened(whole, now)
    (folder / "test.json").write_text(json.dumps(document, indent=1), encoding="utf-8")
    if "infer_cfg" in document:
        for model in settings.models:
            given[f"for {model}"] = told(folder, settings, model)
    return given


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_is_told_of_each_change(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(CASES / "lve.yaml", tmp_path)
    monkeypatch.chdir(tmp_path)
    recorded = json.loads((CASES / name / "results.json").read_text(encoding="utf-8"))
    now = results(name, tmp_path)
    wrong = [what for what in recorded if now.get(what) != recorded[what]]
    assert [(what, recorded[what], now.get(what)) for what in wrong] == []


def main() -> None:
    """Write what is told now, one change a line."""
    for name in DOCUMENTS:
        (CASES / name / "results.json").unlink(missing_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(CASES / "lve.yaml", folder)
            os.chdir(folder)
            rows = results(name, Path(folder).resolve()).items()
            os.chdir("/")
        lines = (f" {json.dumps(label)}: {json.dumps(said)}" for label, said in rows)
        (CASES / name / "results.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main()
