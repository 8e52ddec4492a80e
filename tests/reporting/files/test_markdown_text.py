"""Markdown is written in one place, and a text from outside stays a text."""

from __future__ import annotations

import pytest

from lve.reporting.files.markdown_text import (
    Page,
    details,
    escaped,
    fence,
    fenced,
    row,
    table_head,
)


def test_a_table_is_its_heads_and_rows() -> None:
    assert table_head(("", "test"), ":--") == "| | test |\n|:--|:--|\n"
    assert row(("a", "", "b")) == "| a | | b |\n"


def test_a_section_is_closed_after_its_body() -> None:
    assert details("a", "b\n\n") == "<details><summary>a</summary>\n\nb\n\n</details>\n\n"


@pytest.mark.parametrize("ticks", ["", "```", "`````"])
def test_a_text_does_not_end_its_fence(ticks: str) -> None:
    mark = "`" * max(3, len(ticks) + 1)
    assert fence(f"a\n{ticks}\n", "yaml") == f"{mark}yaml\na\n{ticks}\n\n{mark}\n"


def test_only_a_text_from_outside_is_escaped_in_its_fence() -> None:
    assert fenced("a\x1b") == "```text\na\\x1b\n```\n"
    assert fence("##[a", "yaml") == "```yaml\n##[a\n```\n"


def test_nothing_in_an_escaped_text_is_markdown_or_html() -> None:
    assert escaped("a | [b](c) <d> @e\n#1 `f`", 99) == (
        "a \\| \\[b\\](c) &lt;d&gt; \\@e \\#1 \\`f\\`"
    )
    assert len(escaped("a" * 99, 20)) <= 20


def test_a_page_takes_what_fits_in_bytes() -> None:
    page = Page(5)
    assert page.add("äa")
    assert not page.add("äa")
    assert page.add("bb")
    assert not page.add("c")
    page.end("_more_")
    assert page.text == "äabb_more_"
