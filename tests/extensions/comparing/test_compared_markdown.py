from __future__ import annotations

from pathlib import Path

from comparison.compared import compared, verdicts

from lve.extensions.comparing.compared_markdown import MAX_BYTES, comparison_markdown


def test_a_comment_has_the_verdict_the_table_and_the_flips(tmp_path: Path) -> None:
    before = [*verdicts("P" * 8), *verdicts("PP", "same"), *verdicts("P", "gone")]
    found = compared(tmp_path, before, [*verdicts("F" * 8), *verdicts("PP", "same")])
    text = comparison_markdown(found)
    assert "### ❌ regressed" in text
    assert "| ❌ | `t` | 100.0% | 0.0% | -100.0 (" in text
    assert "| | `gone` | | | nothing to compare | | | |" in text
    assert "1 test without a flip" in text
    assert text.count("<details>") == 8
    assert "more flip" not in text


def test_without_a_flip_there_is_no_table_of_tests(tmp_path: Path) -> None:
    text = comparison_markdown(compared(tmp_path, verdicts("PP"), verdicts("PP")))
    assert "### ✅ no regression: none of 2 results broke" in text
    assert "| `t`" not in text
    assert "1 test without a flip" in text


def test_it_stays_within_the_length_of_a_comment(tmp_path: Path) -> None:
    long = {"responses": ("x " * 3000,)}
    names = [f"{number}" * 60 for number in range(150)]
    before = [one for name in names for one in verdicts("PP", name, **long)]
    now = [one for name in names for one in verdicts("FF", name, **long)]
    found = compared(tmp_path, before, now)
    text = comparison_markdown(found)
    assert len(text.encode()) <= MAX_BYTES
    assert "280 more flips: `lve compare -v` has them._" in text
    short = comparison_markdown(found, 30_000)
    assert len(short.encode()) <= 30_000
    assert "more flips" in short


def test_what_models_wrote_breaks_out_of_nothing(tmp_path: Path) -> None:
    evil = "```\n</details><img src=x> @somebody | `x`"
    before = verdicts("P", evil, responses=(evil,), source=evil)
    now = verdicts("F", evil, responses=(f"{evil}!",), source=evil)
    text = comparison_markdown(compared(tmp_path, before, now))
    lines = text.splitlines()
    assert sum(line.startswith("</details>") for line in lines) == 2 + 1
    # Fences are longer than the one in the answers.
    assert (text.count("````text\n"), text.count("\n````\n")) == (2, 2)
    table = [line for line in lines if line.startswith("| ")]
    assert {line.count(" | ") for line in table} == {7}
