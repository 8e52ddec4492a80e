"""What is wrong in one part of a test doesn't hide what is wrong in the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.command_line import call
from support.folders import workspace, write_test

import lve
from lve.documents.read import read_text

MISSPELT = {"checker_name": "RegexCheker", "pattern": "x"}
WRONG_ARGUMENT = {"checker_name": "RegexChecker", "pattern": "x", "match_safe": "perhaps"}
NAMELESS = {"pattern": "x"}
LACKS_A_PARAMETER = {"checker_name": "LambdaChecker", "func": "lambda r, b: r == b"}
NO_CHECKER = "$.checker_args.checker_name"
IN_PROMPT = "$.prompt[0].content"


@pytest.mark.parametrize("text", ["{", '{"prompt": 3,, "checker_args": 3}'])
def test_a_document_that_cant_be_parsed_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    (write_test(tmp_path / "t") / "test.json").write_text(text)
    read: list[Path] = []

    def counting(path: Path, **how: Any) -> str:
        read.append(path)
        return read_text(path, **how)

    monkeypatch.setattr("lve.documents.read.read_text", counting)
    assert len(paths(tmp_path / "t")) == 1
    assert [path.name for path in read].count("test.json") == 1


@pytest.fixture(autouse=True)
def in_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace(tmp_path))


def paths(folder: Path) -> list[str | None]:
    with pytest.raises(lve.SpecError) as refused:
        lve.load(folder)
    return [problem.path for problem in refused.value.problems]


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"prompt": 3, "checker_args": MISSPELT}, ["$.prompt", NO_CHECKER]),
        ({"promt": 1, "prompt": None, "checker_args": MISSPELT}, [NO_CHECKER, "$.promt"]),
        ({"prompt_file": "none.prompt", "checker_args": MISSPELT, "prompt": None}, None),
        ({"repeats": "three", "checker_args": WRONG_ARGUMENT}, None),
        ({"description": 1, "prompt": [{"content": "{b}"}]}, ["$.description", IN_PROMPT]),
        ({"checker_args": 3, "prompt": [{"content": "{b}"}]}, [IN_PROMPT, "$.checker_args"]),
        ({"checker_args": None, "prompt": [{"content": "{b}"}]}, [None, IN_PROMPT]),
        ({"tags": 3, "prompt": [{"content": "{b}"}], "checker_args": MISSPELT}, None),
        (
            {"checkers": [NAMELESS, MISSPELT, WRONG_ARGUMENT], "checker_args": None},
            ["$.checkers[0]", "$.checkers[1].checker_name", "$.checkers[2].match_safe"],
        ),
    ],
)
def test_all_parts_are_looked_at(
    tmp_path: Path, document: dict[str, Any], expected: list[str | None] | None
) -> None:
    found = paths(write_test(tmp_path / "t", **document))
    if expected is None:  # each of them has one mistake
        expected = [*found]
        assert len(found) == len([key for key in document if document[key] is not None])
    assert sorted(map(str, found)) == sorted(map(str, expected))


@pytest.mark.parametrize(
    "document",
    [
        {"prompt": 3, "checker_args": LACKS_A_PARAMETER},
        {"prompt_parameters": 3, "checker_args": LACKS_A_PARAMETER},
        {"prompt_parameters": 3, "prompt": [{"content": "{b}"}]},
        {"promt_parameters": ["b"], "prompt": [{"content": "{b}"}]},
        {"checker_args": 3, "examples": [{"verdict": "passed", "response": "x"}]},
        {"checkers": 3, "checker_args": None, "examples": [{"verdict": "failed", "response": "x"}]},
        {"infer_cfg": 3, "dataset": [{"a": 1}], "prompt": None, "checker_args": LACKS_A_PARAMETER},
        {"prompt_object": 3, "prompt": None},
    ],
)
def test_nothing_is_reported_that_only_follows_from_another_mistake(
    tmp_path: Path, document: dict[str, Any]
) -> None:
    assert len(paths(write_test(tmp_path / "t", **document))) == 1


def test_every_door_reports_the_same(pytester: pytest.Pytester) -> None:
    write_test(
        pytester.path / "t", repeats="three", prompt=[{"content": "{b}"}], checker_args=MISSPELT
    )
    expected = ("$.repeats: must be", "{b} is not a declared", "there is no checker 'RegexCheker'")
    for verb in ("check", "show", "render", "run", "list", "record"):
        _, out, err = call(verb, "t")
        assert all(each in out + err for each in expected), verb
    out = str(pytester.runpytest("t").stdout)
    assert all(each in out for each in expected)


def test_a_wrong_prompt_hides_no_wrong_checker_and_no_wrong_line(tmp_path: Path) -> None:
    folder = write_test(tmp_path / "t", prompt=[{"content": "{b}"}], checker_args=MISSPELT)
    (folder / "instances").mkdir()
    (folder / "instances/main.jsonl").write_text('{"args": 3}\n')
    code, out, _ = call("check", "t")
    assert code == 2
    assert all(part in out for part in ("{b} is not", "RegexCheker", "instances/main.jsonl:1"))
    code, out, _ = call("run", "t")
    assert code == 2
    assert all(part in out for part in ("{b} is not", "RegexCheker"))
