"""`lve check` of data files that are huge, wide or wrong everywhere: it ends, and says what is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from prompts.building import BIG, READER, message_test, rows_file, template_test
from support.command_line import call
from support.folders import write_dataset_test, write_test

from lve.cli.check import checking


def check(*args: str) -> tuple[int, list[str]]:
    """Return exit code and lines."""
    code, output, _ = call("check", *args)
    return code, output.splitlines()


def csv_test(folder: Path, text: str) -> Path:
    """Write a test with a CSV file."""
    write_test(folder, prompt=[{"content": "{q}"}], prompt_parameters=["q"], dataset="rows.csv")
    (folder / "rows.csv").write_text(text, encoding="utf-8")
    return folder


def test_lines_that_are_all_broken_are_told_in_part(root: Path) -> None:
    folder = message_test(root / "t", "{q}", {"q": "x"})
    (folder / "instances" / "main.jsonl").write_text("{wrong\n" * 20_000, encoding="utf-8")
    code, lines = check("t", "--all-rows")
    assert (code, len(lines)) == (2, 1002)
    assert lines[-2] == (
        "t/instances/main.jsonl:20000: 19,000 more rows are wrong, this is the last of them "
        "(correct the first ones, and try again) [more_problems]"
    )


def test_rows_that_fill_no_prompt_are_told_in_part(root: Path) -> None:
    folder = template_test(root / "t", "{q}" * 500, {"q": BIG, "a": ""})
    rows_file(folder, [{"q": BIG, "a": str(n)} for n in range(20)] * 60)
    code, lines = check("t")
    assert (code, len(lines)) == (2, 1002)
    assert "would have more than 16,000,000 characters" in lines[0]
    assert "200 more rows are wrong" in lines[-2]


def test_rows_that_take_long_are_not_all_looked_at(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = message_test(root / "t", "{q}", {"q": "x"})
    (folder / "instances" / "main.jsonl").write_text('{"args": {"q": "x"}}\n' * 100, "utf-8")
    monkeypatch.setattr(checking, "MAX_SECONDS", 0)
    assert check("t") == (
        0,
        [
            "t/test.json: warning: only the first 1 row was checked (`lve check --all-rows` "
            "checks all) [partly_checked]",
            "1 test: all valid",
        ],
    )
    assert check("t", "--all-rows") == (0, ["1 test: all valid"])


def test_a_sample_of_many_rows_is_drawn_from_those_that_were_read_in_time(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = message_test(root / "t", "{q}", {"q": "x"})
    lines = "".join(f'{{"args": {{"q": {number}}}}}\n' for number in range(1_000))
    (folder / "instances" / "main.jsonl").write_text(lines, "utf-8")
    assert check("t", "--sample", "5") == (0, ["1 test: all valid"])
    monkeypatch.setattr(checking, "MAX_SECONDS", 0)
    said = "only the first 100 rows were checked (`lve check --all-rows` checks all)"
    assert check("t", "--sample", "5") == (
        0,
        [f"t/test.json: warning: {said} [partly_checked]", "1 test: all valid"],
    )
    assert check("t", "--sample", "5", "--all-rows") == (0, ["1 test: all valid"])


def test_a_csv_header_of_a_hundred_thousand_names(root: Path) -> None:
    names = [f"c{n}" for n in range(99_999)]
    csv_test(root / "t", ",".join([*names, "c0"]) + "\n")
    code, lines = check("t")
    assert code == 2
    assert lines[0] == "t/rows.csv:1: the column `c0` occurs twice [csv]"
    csv_test(root / "t", ",".join([*names, "q"]) + "\n" + "," * 99_999 + "x\n")
    assert check("t") == (0, ["1 test: all valid"])


def test_a_csv_record_of_many_lines_is_not_read_for_ever(root: Path) -> None:
    lines = 400_000  # of 41 characters: more than 16 MB
    csv_test(root / "t", "q\n" + f'"{"x" * 37}\n",' * lines)
    code, lines = check("t")
    assert code == 2
    assert lines[0].startswith("t/rows.csv:2:1: not valid CSV: the line is longer than 16 MB")


def test_rows_that_have_to_be_kept_are_limited(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lve.data.row_sources.MAX_KEPT_BYTES", 1_000_000)
    folder = write_dataset_test(
        root / "t",
        "rows.csv",
        reader_cfg={**READER, "test_range": "[0:1]"},
        prompt_template={"type": "PromptTemplate", "template": "{q}"},
    )
    (folder / "rows.csv").write_text("q,a\n" + "x,y\n" * 10_000, encoding="utf-8")
    code, lines = check("t")
    assert code == 2
    assert lines[0] == (
        "t/rows.csv: has more than 1 MB of rows (save it as JSONL, whose rows are found "
        "without keeping all in memory) [over_limit]"
    )
    (folder / "rows.csv").write_text("q,a\n" + "x,y\n" * 1_000, encoding="utf-8")
    assert check("t") == (0, ["1 test: all valid"])


@pytest.mark.parametrize("text", ["[" + " " * 400_000, "[" + " " * 400_000 + "x]", "[:" * 100_000])
def test_a_range_of_blanks_is_read_in_linear_time(root: Path, text: str) -> None:
    template_test(root / "t", "{q}", {"q": "x", "a": ""}, reader={**READER, "test_range": text})
    code, lines = check("t")
    assert code == 2
    assert "can't read the range" in lines[0]
    assert len(lines[0]) < 300


@pytest.mark.parametrize("text", ["[ 0 : 1 ]", " [0:\t1:1] ", "[:]", "[-1:]"])
def test_a_range_may_have_blanks(root: Path, text: str) -> None:
    template_test(root / "t", "{q}", {"q": "x", "a": ""}, reader={**READER, "test_range": text})
    assert check("t") == (0, ["1 test: all valid"])


def test_wide_rows_are_rendered(root: Path) -> None:
    row = {**{f"c{n}": f"{{c{n + 1}}}" for n in range(3_000)}, "q": "x", "a": ""}
    template_test(root / "t", "".join(f"{{c{n}}}" for n in range(3_000)), row)
    code, output, errors = call("render", "t", "--json")
    assert code == 0
    (test,) = json.loads(output)["tests"]
    assert test["instances"][0]["runs"][0]["messages"][0]["content"] == "{c3000}" * 3_000
    assert "contains the text {c1}, which is filled too" in errors + output


def test_rows_are_chosen_from_many_values(root: Path) -> None:
    wanted = [*map(str, range(50_000)), ["x"]]
    write_test(
        root / "t",
        prompt=[{"content": "{q}"}],
        prompt_parameters=["q"],
        dataset={"path": "rows.jsonl", "where": {"q": wanted}, "columns": {"q": "old"}},
    )
    rows_file(root / "t", [{"old": f"no {n}"} for n in range(50_000)] + [{"old": ["x"]}])
    code, output, _ = call("list", "t", "--json")
    assert code == 0
    assert json.loads(output)["tests"][0]["instances"] == 1
