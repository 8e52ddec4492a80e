"""`lve show checker`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from support.command_line import call

from lve.errors import UsageError
from lve.extensions.authoring.checker_text import check_text


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_checker_is_described() -> None:
    code, out, _ = call("show", "checker", "not_contains", "RegexChecker")
    assert code == 0
    assert "not_contains\n  Passes if the text doesn't occur" in out
    assert "  tier        data" in out
    assert "  argument    on: a variable, a list of variables, `all` or `transcript`" in out
    assert "  example     check: {not_contains: Rome}" in out
    assert "RegexChecker\n" in out
    assert max(map(len, out.splitlines())) <= 100


def test_json_has_the_same() -> None:
    (checker,) = json.loads(call("show", "checker", "number", "--json")[1])["checkers"]
    assert checker["name"] == "number"
    names = [one["name"] for one in checker["arguments"]]
    assert names == ["number", "tolerance", "relative", "unit"]
    assert [one["required"] for one in checker["arguments"]] == [True, False, False, False]
    assert checker["examples"][0]["check"] == {"number": 42}


def test_an_unknown_checker_is_an_error() -> None:
    with pytest.raises(UsageError, match="did you mean `number`"):
        call("show", "checker", "numbr")


def test_a_checker_that_looks_at_all_answers_takes_no_on() -> None:
    assert "on: a variable" not in call("show", "checker", "MonotonicityChecker")[1]
    for name, takes in (("MonotonicityChecker", False), ("consistency", True)):
        (checker,) = json.loads(call("show", "checker", name, "--json")[1])["checkers"]
        assert checker["takes_on"] is takes


@pytest.mark.parametrize(
    ("check", "text"),
    [
        ({"contains": "Paris"}, "{contains: Paris}"),
        ({"contains": ["New York", 5], "is": True}, "{contains: [New York, 5], is: true}"),
        ({"matches": (), "n": None}, "{matches: [], n: null}"),
        ({"any": [{"contains": "é"}, {}]}, "{any: [{contains: é}, {}]}"),
        ("no", '"no"'),
        ("On", '"On"'),
        ("one", "one"),
        ("a, b", '"a, b"'),
        ("", '""'),
        (1.5, "1.5"),
    ],
)
def test_a_check_is_yaml_on_one_line(check: object, text: str) -> None:
    assert check_text(check) == text
    expected = json.loads(json.dumps(check))
    assert yaml.safe_load(text) == expected


@pytest.mark.parametrize(
    "word",
    ["yes", "no", "true", "false", "null", "on", "off", "y", "n", "none", "Paris", "é", "a b",
     "a  b", " a", "a ", "", "-", "1", "1e3", "~", "a: b", "[a", "{a}", "#a", "a #b", "'", "a,b"],
)  # fmt: skip
def test_each_word_is_still_the_same_text_in_yaml(word: str) -> None:
    for written in (word, word.upper(), word.title()):
        assert yaml.safe_load(check_text({"text": written})) == {"text": written}


@given(st.text(st.sampled_from("aNeno fy:,#"), max_size=6))
def test_so_is_each_text(text: str) -> None:
    assert yaml.safe_load(check_text([text])) == [text]
