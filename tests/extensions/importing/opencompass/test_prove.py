"""Imported tests are compared with what OpenCompass sent, and said of scripted answers. Its lines
were recorded (tests/cases/importers/opencompass_proof); where it is installed, it is run."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from extensions.scorers.scored import install_upstream
from support.command_line import call, lve
from support.folders import workspace

from lve.errors import UsageError
from lve.extensions.importing.boxes.box import TOOLS, BoxError
from lve.extensions.importing.folders import write_tests
from lve.extensions.importing.opencompass import prove, read_configs
from lve.extensions.importing.proof import Proof

CASE = Path(__file__).parents[3] / "cases" / "importers" / "opencompass_proof"
LINES = [json.loads(line) for line in (CASE / "lines.jsonl").read_text("utf-8").splitlines()]
"""What OpenCompass said."""
IMPORT = (
    *("import", "opencompass", "case/proven.py", "--data", "case/data", "--prove"),
    *("-o", "made"),
)
CAPITALS, MOODS, ESSAYS, FACTS = range(4)
Change = Callable[[dict[str, Any]], dict[str, Any]]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace(tmp_path / "w"))
    shutil.copytree(CASE, "case")
    Path("case/proven.txt").rename("case/proven.py")


def proofs(
    monkeypatch: pytest.MonkeyPatch, lines: list[dict[str, Any]], rows: tuple[str, str] = ("", "")
) -> dict[str, Proof]:
    """Return what is found if OpenCompass says `lines`, and a text in the rows has been changed."""
    monkeypatch.setattr(prove, "run_in_box", lambda *_args, **_options: iter(lines))
    imported = read_configs(Path("case/proven.py"), Path("case/data"))
    write_tests(imported.tests, Path("made"))
    for file in Path("made").glob("*/rows.jsonl") if rows[0] else ():
        file.write_text(file.read_text("utf-8").replace(*rows), encoding="utf-8")
    return dict(imported.prove(Path("made")))


def changed(of: int, kind: str, change: Change) -> list[dict[str, Any]]:
    """Return the lines, one kind of those of a test changed."""
    return [
        change(line) if (line.get("of"), line["kind"]) == (of, kind) else line for line in LINES
    ]


def test_prompts_and_scores_are_those_of_opencompass(monkeypatch: pytest.MonkeyPatch) -> None:
    found = proofs(monkeypatch, LINES)
    assert [proof.differences for proof in found.values()] == [[]] * 4
    numbers = {home: (proof.prompts, proof.scores) for home, proof in found.items()}
    # two rows for two kinds of models, 10 answers to each and to all; 3 ratings of 2 labels; judged
    assert numbers == {
        "capitals": (4, 30),
        "moods": (4, 9),
        "essays": (12, 20),
        "facts": (22, 30),  # of raw messages, which only models with an API get
    }
    assert all(proof.not_compared == 0 and not proof.why for proof in found.values())


def test_both_outcomes_are_among_the_scores() -> None:
    for test in (CAPITALS, ESSAYS):
        of = [line for line in LINES if line.get("of") == test and line["kind"] == "score"]
        assert {line["scores"]["accuracy"] for line in of} == {0.0, 100.0}
    labels = {line["label"] for line in LINES if line["kind"] == "chosen"}
    assert labels == {"good", "bad"}


def test_the_certificate_has_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    proofs(monkeypatch, LINES)
    certificate = json.loads(Path("made/moods/import.json").read_text("utf-8"))
    assert certificate["rows"] == 2
    assert certificate["proof"] == {
        "tool": "opencompass",
        "version": "0.5.4",
        "rows": 2,
        "prompts": 4,
        "scores": 9,
        "scores_not_compared": 0,
        "differences": [],
        "number_of_differences": 0,
    }
    Path("made/moods/examples.jsonl").write_text('{"text": "Fog.", "mood": "bad"}\n')
    told = " ".join(lve("check", "made").stdout.split())
    assert "examples.jsonl has changed since it was imported" in told


@pytest.mark.parametrize(
    ("of", "kind", "change", "count"),
    [
        (CAPITALS, "score", lambda line: {**line, "scores": {"accuracy": 50.0}}, 20),
        (CAPITALS, "whole", lambda line: {**line, "scores": {"accuracy": 1e-6}}, 10),
        (MOODS, "chosen", lambda line: {**line, "label": "so-so"}, 6),
        (MOODS, "prompts", lambda line: {**line, "prompts": line["prompts"][::-1]}, 2),
        (ESSAYS, "score", lambda line: {**line, "asked": [[]]}, 10),
        (FACTS, "score", lambda line: {**line, "scores": {"correct": 100.0}}, 20),
    ],
)
def test_what_opencompass_does_otherwise_is_a_difference(
    monkeypatch: pytest.MonkeyPatch, of: int, kind: str, change: Change, count: int
) -> None:
    found = [*proofs(monkeypatch, changed(of, kind, change)).values()]
    assert [len(proof.differences) for proof in found] == [count * (n == of) for n in range(4)]


def test_of_several_numbers_the_usual_one_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    def renamed(line: dict[str, Any]) -> dict[str, Any]:
        return {**line, "scores": {"pass": 7, "pass@1": line["scores"]["accuracy"]}}

    assert proofs(monkeypatch, changed(CAPITALS, "score", renamed))["capitals"].differences == []


def test_a_prompt_of_other_rows_is_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    found = proofs(monkeypatch, LINES, ("France", "Spain"))["capitals"].differences
    assert [each["model"] for each in found] == ["text", "chat"]
    assert "Spain" in str(found[0]["asked"])
    assert "France" in str(found[0]["expected"])


def test_what_cant_be_compared_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_upstream(tmp_path, monkeypatch)

    def ends_early(*_args: object, **_options: object) -> Iterator[dict[str, Any]]:
        yield from LINES[:3]
        raise BoxError("ended with exit code 3")

    failed = [LINES[0], {"of": CAPITALS, "kind": "failed", "why": "KeyError: 'x'"}, LINES[-1]]
    assert proofs(monkeypatch, failed)["capitals"].why == "KeyError: 'x'"
    shutil.rmtree("made")
    monkeypatch.setattr(prove, "run_in_box", ends_early)
    told = lve(*IMPORT)
    assert "capitals: no score could be compared: OpenCompass ended with exit code 3" in " ".join(
        told.stdout.split()
    )


@pytest.mark.parametrize(
    ("value", "expected", "rounded"),
    [(200 / 3, 66.67, 66.67), (200 / 3, 66.66, 200 / 3), (50.004, 50.0, 50.004), (None, 1.0, None)],
)
def test_scores_may_be_rounded(value: float | None, expected: float, rounded: float | None) -> None:
    assert prove._rounded(value, expected) == rounded


def test_differences_end_with_exit_code_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_upstream(tmp_path, monkeypatch)
    lines = changed(MOODS, "chosen", lambda line: {**line, "label": "so-so"})
    monkeypatch.setattr(prove, "run_in_box", lambda *_args, **_options: iter(lines))
    code, told, _ = call(*IMPORT)
    assert code == 1
    assert "compared with opencompass: 42 prompts and 89 scores" in told
    assert "moods: 6 differ: see its import.json" in told


def test_without_opencompass_nothing_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LVE_TOOLS", "none")
    with pytest.raises(UsageError, match="lve import --setup opencompass"):
        call(*IMPORT)
    assert not Path("made").exists()


@pytest.mark.parametrize(
    "line",
    [
        {"of": 7, "kind": "score"},
        {"of": [1], "kind": "score"},
        {"of": 0, "kind": "score", "row": 9, "number": 0, "scores": {"accuracy": 100.0}},
        {"of": 0, "kind": "score", "row": -1, "number": "x", "scores": {"accuracy": 100.0}},
        {"of": 0, "kind": "score", "row": 0, "number": 0, "scores": [1]},
        {"of": 0, "kind": "prompts", "row": 0, "model": "text", "prompts": "x"},
        {"of": 0, "kind": "prompts", "row": 0, "model": [], "prompts": ["x"]},
        {"of": 1, "kind": "chosen", "row": None, "number": 0, "label": {}},
        {"of": 1, "kind": "whole", "number": 99, "scores": {"accuracy": 100.0}},
        {"of": 0, "kind": ["score"], "why": 3},
    ],
)
def test_a_forged_line_is_no_crash(monkeypatch: pytest.MonkeyPatch, line: dict[str, Any]) -> None:
    found = proofs(monkeypatch, [LINES[0], line, LINES[-1]])
    assert all(not proof.differences and not proof.scores for proof in found.values())


def test_the_lines_are_those_of_the_package() -> None:
    if not TOOLS["opencompass"].is_set_up:
        pytest.skip("NOT TESTED against OpenCompass: `lve import --setup opencompass`")
    code, told, errors = call(*IMPORT)
    assert code == 0, told + errors
    assert "compared with opencompass: 42 prompts and 89 scores" in told


AISBENCH = CASE.with_name("aisbench_proof")


@pytest.fixture
def aisbench() -> list[dict[str, Any]]:
    """What AISBench said of its own configuration."""
    shutil.rmtree("case")
    shutil.copytree(AISBENCH, "case")
    Path("case/proven.txt").rename("case/proven.py")
    return [json.loads(line) for line in (AISBENCH / "lines.jsonl").read_text("utf-8").splitlines()]


def test_prompts_and_scores_are_those_of_aisbench(
    monkeypatch: pytest.MonkeyPatch, aisbench: list[dict[str, Any]]
) -> None:
    monkeypatch.setenv("LVE_TOOLS", "none")
    found = proofs(monkeypatch, aisbench)
    assert [proof.differences for proof in found.values()] == [[]] * 3
    numbers = {home: (proof.prompts, proof.scores) for home, proof in found.items()}
    # the last one is judged by AISBench's own class, without which lve compares nothing
    assert numbers == {"capitals": (4, 30), "moods": (4, 9), "calls": (0, 0)}
    assert "lve import --setup aisbench" in found["calls"].why
    assert found["moods"].tool == {"tool": "aisbench", "version": "3.1.20260630"}
    other = [
        {**line, "prompts": []} if line["kind"] == "prompts" and line["of"] == 1 else line
        for line in aisbench
    ]
    shutil.rmtree("made")
    assert len(proofs(monkeypatch, other)["moods"].differences) == 2


def test_parts_of_messages_are_compared_as_parts() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "b.png"}}]
    assert prove._messages([{"role": "HUMAN", "prompt": parts}]) == [
        {"role": "user", "content": parts}
    ]
    assert prove._messages([{"role": "HUMAN", "prompt": ["x", 3]}]) == [
        {"role": "user", "content": ["x", "3"]}
    ]


def test_the_lines_are_those_of_aisbench(aisbench: list[dict[str, Any]]) -> None:
    if not TOOLS["aisbench"].is_set_up:
        pytest.skip("NOT TESTED against AISBench: `lve import --setup aisbench`")
    code, told, errors = call("import", "aisbench", *IMPORT[2:])
    assert code == 0, told + errors
    assert "compared with aisbench: 10 prompts and 59 scores" in told
