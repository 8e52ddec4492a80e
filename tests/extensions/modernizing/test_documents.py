"""Documents in the short form: the same test, with the same verdicts and comments."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from support.folders import workspace

from lve.checkers.examples import example_context
from lve.checkers.judge import Judge
from lve.checkers.static import bind_statically
from lve.data.instances import iter_instances
from lve.extensions.modernizing.command import modernized
from lve.settings.settings import Caps
from lve.spec.load import load_spec
from lve.spec.spec import Example, Instance, Spec

ROOT = Path(__file__).parents[3]
CASES = ROOT / "tests" / "cases"
REWRITTEN = sorted((CASES / "modernize").iterdir())
OLD = CASES / "lve_spelling"
"""The documents of repository/ as they were before they were rewritten, in LVE's spelling."""
LVE_TESTS = [
    *((file, ROOT / "repository" / file.parent.relative_to(OLD)) for file in OLD.rglob("test.*")),
    *(
        (file, file.parent)
        for file in (CASES / "valid").rglob("test.*")
        if file.suffix != ".prompt"
    ),
]
"""Each document, and the folder of its test."""
SHIPPED = [
    file
    for source in ("repository", "lve/extensions/authoring/gallery")
    for file in sorted((ROOT / source).rglob("test.*"))
]
CAPS = Caps()


def in_short_form(test: Path) -> str:
    """Return what becomes of the document in a folder."""
    file = next(file for file in test.glob("test.*") if file.suffix != ".prompt")
    return modernized(file, test.parent, file.read_bytes().decode("utf-8-sig"), CAPS)


def copied(case: Path, into: Path, name: str = "before") -> Path:
    """Return a folder with one document of a case."""
    test = workspace(into) / name
    test.mkdir()
    file = next(case.glob(f"{name}.*"))
    shutil.copy(file, test / f"test{file.suffix}")
    return test


@pytest.mark.parametrize("case", REWRITTEN, ids=lambda case: case.name)
def test_a_document_becomes_the_one_beside_it(case: Path, tmp_path: Path) -> None:
    (after,) = case.glob("after.*")
    assert in_short_form(copied(case, tmp_path)) == after.read_bytes().decode("utf-8")


@pytest.mark.parametrize("case", REWRITTEN, ids=lambda case: case.name)
def test_what_is_short_stays_as_it_is(case: Path, tmp_path: Path) -> None:
    (after,) = case.glob("after.*")
    test = copied(case, tmp_path, "after")
    assert in_short_form(test) == after.read_bytes().decode("utf-8")


@pytest.mark.parametrize("case", REWRITTEN, ids=lambda case: case.name)
def test_every_comment_stays(case: Path) -> None:
    before, after = (
        re.findall(r"(?m)(?:^|\s)(#.*)$", next(case.glob(f"{name}.yaml")).read_text("utf-8"))
        if [*case.glob("*.yaml")]
        else []
        for name in ("before", "after")
    )
    assert before == after


def said(spec: Spec) -> Spec:
    """Return a spec without its places in the text, its warnings and the names of its checkers."""
    prompts = tuple(one._replace(position=None, message_positions=()) for one in spec.prompts)  # type: ignore[arg-type]
    return replace(spec, prompts=prompts, checkers=(), warnings=())


def verdicts(spec: Spec) -> list[list[str]]:
    """Return the outcomes of a test's examples and recorded answers, by checker."""
    bound = bind_statically(spec)
    if bound.problems:  # they stay, too
        return [[problem.message for problem in bound.problems]]
    answers = list(spec.examples)
    for row in iter_instances(spec):
        if isinstance(row, Instance) and row.recorded:
            place = spec.checkers[0].position
            responses = row.recorded.responses
            answers.append(Example("passed", responses, row.args, place, row.reference))
    judges = [Judge([checker]) for checker in bound.judgeable if checker is not None]
    return [
        [judge.judge(example_context(spec, answer)).outcome for answer in answers]
        for judge in judges
    ]


@pytest.mark.parametrize(("file", "test"), LVE_TESTS, ids=lambda one: str(one.relative_to(ROOT)))
def test_a_test_stays_the_same_with_the_same_verdicts(
    file: Path, test: Path, tmp_path: Path
) -> None:
    folder = workspace(tmp_path) / test.name
    shutil.copytree(test, folder)
    shutil.copy(file, folder)
    before = load_spec(folder, tmp_path)
    expected = verdicts(before)
    before.file.write_text(in_short_form(folder), encoding="utf-8")
    after = load_spec(folder, tmp_path)
    assert said(after) == said(before)
    assert verdicts(after) == expected
    assert in_short_form(folder) == before.file.read_text(encoding="utf-8")


def test_the_tests_in_lves_spelling_are_many_and_become_shorter(tmp_path: Path) -> None:
    assert len(LVE_TESTS) > 45
    for number, file in enumerate(OLD.rglob("test.*")):
        folder = shutil.copytree(
            ROOT / "repository" / file.parent.relative_to(OLD), tmp_path / str(number)
        )
        for document in folder.glob("test.*"):
            document.unlink()
        shutil.copy(file, folder)
        assert len(in_short_form(folder).encode()) < len(file.read_bytes())


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.parent.name)
def test_what_lve_ships_is_in_the_short_form(file: Path) -> None:
    assert in_short_form(file.parent) == file.read_bytes().decode("utf-8-sig")
