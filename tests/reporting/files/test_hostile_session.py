"""A session in which every text is an attack, in the files that others read: nothing of it is more
than text there. (The page: tests/extensions/reports/page.)"""

from __future__ import annotations

import csv
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import pytest
from extensions.reports.hostile_session import ATTACKS, make_hostile_session
from support.command_line import call

FORMULA = re.compile(r"[\s\x00-\x20\u200b-\u200f\u2060\ufeff]*([=+@＝＋＠]|[-－](?!\d+(\.\d+)?$))")
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("hostile")
    (root / "lve.yaml").write_text("{}\n")
    make_hostile_session(root / ".lve")
    return root


@pytest.fixture(autouse=True)
def _here(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)


def test_no_cell_of_a_table_is_a_formula() -> None:
    assert call("report", "-o", "r.csv")[0] == 0
    with Path("r.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = [*csv.reader(file)]
    assert len(rows) == 3 * len(ATTACKS) + 1
    assert [cell for row in rows for cell in row if FORMULA.match(cell)] == []


def test_junit_is_xml_with_nothing_that_controls() -> None:
    assert call("report", "-o", "r.xml")[0] == 0
    text = Path("r.xml").read_text(encoding="utf-8")
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", text)
    cases = ElementTree.fromstring(text).findall(".//testcase")
    assert len(cases) >= 3 * len(ATTACKS)


def test_a_comment_has_no_links_pictures_or_elements_of_the_session() -> None:
    markdown = pytest.importorskip("markdown_it")
    assert call("report", "-o", "r.md")[0] == 0
    read = markdown.MarkdownIt("commonmark", {"linkify": False}).enable("table")
    tokens = [*_all(read.parse(Path("r.md").read_text(encoding="utf-8")))]
    assert not {token.type for token in tokens} & {"link_open", "image"}
    html = " ".join(token.content for token in tokens if token.type.startswith("html"))
    assert {*re.findall(r"<\s*/?([a-z]\w*)", html, re.IGNORECASE)} <= {
        *("details", "summary", "code", "pre", "br", "b", "p")
    }
    assert "pwned" not in " ".join(
        token.content for token in tokens if token.type in ("text", "html_inline")
    )


def _all(tokens: object) -> Iterator[object]:
    for token in tokens or ():  # type: ignore[attr-defined]
        yield token
        yield from _all(token.children)


def test_no_line_is_a_command_to_github(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(place / "summary.md"))
    _, out, err = call("report", "--github")
    lines = re.split(r"[\r\n\u2028\u2029\x85]", out + err)
    commands = [line for line in lines if line.lstrip().startswith("::")]
    assert all(re.match(r"::(error|warning|notice) (file|title)=", line) for line in commands)


@pytest.mark.parametrize("verb", [("show", "last"), ("sessions",), ("show", "last", "--json")])
def test_a_terminal_gets_nothing_that_controls_it(verb: tuple[str, ...]) -> None:
    _, out, err = call(*verb)
    assert CONTROL.findall(out + err) == []
