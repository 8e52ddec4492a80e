"""Imported tests are compared with what OpenAI's evals sends, and says of scripted answers: a
stand-in for it, and where it is installed, the package itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from extensions.importing.openai_evals.registry import BASIC, CLASSIFY, TEMPLATE, chat
from support.command_line import call
from support.evals_package import install_evals

from lve.errors import UsageError
from lve.extensions.importing.boxes.box import TOOLS, BoxError, BoxOptions
from lve.extensions.importing.folders import write_tests
from lve.extensions.importing.openai_evals import prove, read_evals
from lve.extensions.importing.openai_evals.prove import graded_pairs, pairs_of
from lve.extensions.importing.proof import Proof

EXAMPLE = [
    {"role": "system", "content": "1+1", "name": "example_user"},
    {"role": "system", "content": "{2}", "name": "example_assistant"},
]
EVALS: dict[str, tuple[str, dict[str, Any], list[dict[str, Any]]]] = {
    "graded": (
        CLASSIFY,
        {"modelgraded_spec": "own", "modelgraded_spec_args": {"criteria": "It is {so}."}},
        [{"input": chat(f"Is {{{n}}}?")[1:], "ideal": f"i {{{n}}}"} for n in range(2)],
    ),
    "match": (
        f"{BASIC}.match:Match",
        {"num_few_shot": 1, "few_shot_jsonl": "few.jsonl"},
        [{"input": chat(f"{n}?"), "ideal": [f"The {n}.", f"a{n}"]} for n in range(25)],
    ),
    "said": (
        f"{BASIC}.includes:Includes",
        {"ignore_case": True},
        [{"input": "A {text}", "ideal": "Bern, now"}],
    ),
}


@pytest.fixture(autouse=True)
def source(registry: Path) -> Path:
    """A registry of three evals, in JSON, which is YAML, too."""
    entries = {}
    for name, (kind, args, samples) in EVALS.items():
        args = {"samples_jsonl": f"{name}.jsonl", **args}
        entries[f"{name}.dev.v0"] = {"class": kind, "args": args}
        (registry / "data" / f"{name}.jsonl").write_text("\n".join(map(json.dumps, samples)))
    (registry / "data" / "few.jsonl").write_text(json.dumps({"sample": EXAMPLE}))
    (registry / "evals" / "e.yaml").write_text(json.dumps(entries))
    own = {**TEMPLATE, "eval_type": "cot_classify"}
    counted = {**own, "choice_strings": [*"ABCDE"], "choice_scores": None}
    (registry / "modelgraded" / "own.yaml").write_text(json.dumps({"own": own, "fact": counted}))
    return registry


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return install_evals(tmp_path, monkeypatch)


def imported(source: Path) -> tuple[int, str, dict[str, Any]]:
    """Import and prove; return the exit code, what is said, and the proof of each test."""
    code, told, errors = call("import", "openai-evals", str(source), "-o", "made", "--prove")
    proofs = {
        file.parent.name: json.loads(file.read_text("utf-8"))["proof"]
        for file in Path("made").rglob("import.json")
    }
    return code, told + errors, proofs


def lines_of(source: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Return what the package says."""
    lines: list[dict[str, Any]] = []
    run = prove.run_in_box

    def listening(*args: Any, **options: Any) -> Iterator[Mapping[str, Any]]:
        for line in run(*args, **options):
            lines.append({**line})
            yield line

    monkeypatch.setattr(prove, "run_in_box", listening)
    imported(source)
    return lines


def proofs(
    source: Path, monkeypatch: pytest.MonkeyPatch, lines: list[dict[str, Any]]
) -> dict[str, Proof]:
    """Return what is found if the package says `lines`."""
    monkeypatch.setattr(prove, "run_in_box", lambda *_args, **_options: iter(lines))
    tests = read_evals(source, BoxOptions(prove=True))
    write_tests(tests.tests, Path("again"))
    return dict(tests.prove(Path("again")))


def numbers(proofs: Mapping[str, Any]) -> dict[str, tuple[int, int, int]]:
    return {name: (p["rows"], p["prompts"], p["scores"]) for name, p in sorted(proofs.items())}


@pytest.mark.usefixtures("stand_in")
def test_prompts_and_scores_are_those_of_evals(source: Path) -> None:
    code, told, found = imported(source)
    assert code == 0, told
    assert [each["differences"] for each in found.values()] == [[]] * 3
    graded, match, said = (found[f"{name}_dev_v0"] for name in EVALS)
    assert graded["rows"] == 2
    assert graded["prompts"] == 2 + graded["scores"] > 30  # the judge is asked about each
    assert (match["rows"], match["prompts"]) == (20, 20)
    assert match["scores"] > 300
    assert (said["rows"], said["prompts"], said["scores"]) == (1, 1, 20)
    assert {each["scores_not_compared"] for each in found.values()} == {0}
    assert {(each["tool"], each["version"]) for each in found.values()} == {("openai-evals", "9.1")}
    assert "compared with openai-evals: " in told


@pytest.mark.usefixtures("stand_in")
def test_both_outcomes_are_among_the_scores(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = lines_of(source, monkeypatch)
    for number in range(3):
        of = [line for line in lines if line.get("of") == number and line["kind"] == "score"]
        assert {line["score"] for line in of} == {0, 1}


Change = Callable[[dict[str, Any]], dict[str, Any]]


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize(
    ("kind", "of", "change", "count"),
    [
        ("score", 2, lambda line: {**line, "score": 1 - line["score"]}, 20),
        ("score", 0, lambda line: {**line, "asked": []}, 40),
        ("score", 0, lambda line: {**line, "score": 0.5}, 40),
        ("prompt", 1, lambda line: {**line, "asked": [line["asked"][0][1:]]}, 20),
        ("prompt", 1, lambda line: {**line, "args": {"temperature": 1.0}}, 20),
        ("prompt", 2, lambda line: {**line, "args": {"max_tokens": 7}}, 1),
        ("prompt", 2, lambda line: {**line, "args": {"top_p": 1}}, 0),
        ("prompt", 1, lambda line: {**line, "kind": "missing"}, 20),
        ("score", 2, lambda line: {**line, "score": None}, 0),
    ],
)
def test_what_evals_does_otherwise_is_a_difference(
    source: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    of: int,
    change: Change,
    count: int,
) -> None:
    lines = [
        change(line) if (line.get("of"), line["kind"]) == (of, kind) else line
        for line in lines_of(source, monkeypatch)
    ]
    found = [*proofs(source, monkeypatch, lines).values()]
    assert [len(proof.differences) for proof in found] == [count * (n == of) for n in range(3)]


@pytest.mark.usefixtures("stand_in")
def test_a_judge_that_only_counts_is_compared_by_its_choices(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = source / "evals" / "e.yaml"
    file.write_text(file.read_text().replace('"own"', '"fact"'))
    lines = lines_of(source, monkeypatch)
    choices = {line["choice"] for line in lines if line.get("of") == 0 and line["kind"] == "score"}
    assert choices == {*"ABCDE", "__invalid__"}
    assert proofs(source, monkeypatch, lines)["graded_dev_v0"].differences == []
    other = [{**line, "choice": "D"} if line["kind"] == "score" else line for line in lines]
    Path("again").rename("before")
    assert proofs(source, monkeypatch, other)["graded_dev_v0"].differences


@pytest.mark.usefixtures("stand_in")
def test_a_difference_ends_with_exit_code_1(source: Path) -> None:
    package = Path(TOOLS["openai-evals"].folder)
    [file] = package.rglob("elsuite/basic/includes.py")
    file.write_text(file.read_text().replace("ideal.lower() in answer.lower()", "ideal in answer"))
    code, told, found = imported(source)
    assert code == 1
    assert "said_dev_v0: 3 differ: see its import.json" in told
    assert found["said_dev_v0"]["differences"][0]["answer"] == "BERN, NOW"


@pytest.mark.usefixtures("stand_in")
def test_what_cant_be_compared_is_told(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = EVALS["match"][1]["few_shot_jsonl"]
    (source / "data" / broken).write_text('{"sample": 7}')
    code, told, found = imported(source)
    assert code == 0
    assert "match_dev_v0: no score could be compared: TypeError" in " ".join(told.split())
    assert found["said_dev_v0"]["scores"] == 20

    def ends_early(*_args: object, **_options: object) -> Iterator[dict[str, Any]]:
        yield {"kind": "tool", "version": "9"}
        yield {"of": 2, "kind": "done"}
        raise BoxError("ended with exit code 3")

    monkeypatch.setattr(prove, "run_in_box", ends_early)
    tests = read_evals(source, BoxOptions(prove=True))
    write_tests(tests.tests, Path("again"))
    why = [proof.why for proof in dict(tests.prove(Path("again"))).values()]
    assert why == ["evals ended with exit code 3"] * 2 + [""]


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize(
    "line",
    [
        {"of": 7, "kind": "score"},
        {"of": [1], "kind": "score"},
        {"of": 1, "kind": "score", "row": 99, "number": 0, "score": 1},
        {"of": 1, "kind": "score", "row": -1, "number": 0, "score": 1},
        {"of": 1, "kind": "score", "row": 0, "number": 99, "score": 1},
        {"of": 1, "kind": "score", "row": 0, "number": "x", "score": 1},
        {"of": 1, "kind": "score", "row": 0, "number": 0, "score": "1"},
        {"of": 0, "kind": "score", "row": 0, "number": 0, "score": {}, "choice": []},
        {"of": 1, "kind": ["score"], "row": 0},
        {"of": 1, "kind": "failed", "why": {"a": "x" * 10_000}},
    ],
)
def test_a_forged_line_is_no_crash(
    source: Path, monkeypatch: pytest.MonkeyPatch, line: dict[str, Any]
) -> None:
    for proof in proofs(source, monkeypatch, [line]).values():
        assert not proof.differences
        assert not proof.scores
        assert len(proof.why) < 1000


def test_without_evals_nothing_is_written(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LVE_TOOLS", "none")
    with pytest.raises(UsageError, match="lve import --setup openai-evals"):
        imported(source)
    assert not Path("made").exists()


def test_scripted_answers_are_right_ones_and_near_misses() -> None:
    answers = [answer for answer, _ in pairs_of({"input": "Q?", "ideal": ['{"a": 1}', "b c"]})]
    assert len({*answers}) == len(answers)
    assert {'{"a": 1}', "b c", "", "Q?", '{"a":1}', "null", '{"A": 1}', "a 1"} <= {*answers}
    assert '{"a": 1, "more": 1}' in answers
    replies = [reply for _, reply in graded_pairs({"input": "Q?"}, ["Yes", "No"])]
    assert {"Yes", "no", "", "Undecided.", '"No"'} <= {*replies}


def test_the_stand_in_says_what_evals_says(source: Path, tmp_path: Path) -> None:
    tool = TOOLS["openai-evals"]
    if not tool.is_set_up:
        pytest.skip("NOT TESTED against evals: `lve import --setup openai-evals`")
    code, told, found = imported(source)
    assert code == 0, told
    with pytest.MonkeyPatch.context() as monkeypatch:
        install_evals(tmp_path, monkeypatch)
        Path("made").rename("real")
        assert numbers(imported(source)[2]) == numbers(found)
    [package] = tool.folder.glob("lib/*/site-packages/evals/registry/evals")
    for name in ("2d_movement", "logic"):  # one has a sentence that asks for a choice
        Path("made").rename(f"{name}_before")
        code, told, found = imported(package / f"{name}.yaml")
        assert code == 0, told
        assert min(each["scores"] for each in found.values()) > 0
