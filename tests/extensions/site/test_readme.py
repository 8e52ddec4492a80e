"""A README as HTML."""

from __future__ import annotations

import pytest
from extensions.site.hostile_pages import ALL

from lve.extensions.site.readme import rendered

BASE = "https://example.org/repo/blob/main/tests/a/"


@pytest.mark.parametrize(
    ("text", "title", "html"),
    [
        ("# Names\n\nWhy `x`.", "Names", "<p>Why <code>x</code>.</p>\n"),
        ("No heading", "", "<p>No heading</p>\n"),
        ("# A `b` *c*\n", "A b c", ""),
        ("# A\n\n## B\n\n###### C", "A", "<h4>B</h4>\n<h6>C</h6>\n"),
        ("| a |\n|---|\n| b |", "", None),
    ],
)
def test_the_first_heading_is_the_title_and_the_rest_is_html(
    text: str, title: str, html: str | None
) -> None:
    found = rendered(text, None)
    assert found.title == title
    assert found.html == html if html is not None else "<table>" in found.html


@pytest.mark.parametrize(
    ("link", "address"),
    [
        ("https://example.com/a?b=1#c", "https://example.com/a?b=1#c"),
        ("../b/README.md", "https://example.org/repo/blob/main/tests/b/README.md"),
        ("javascript:alert(1)", None),
        ("JaVaScRiPt:alert(1)", None),
        ("data:text/html,x", None),
        ("file:///etc/passwd", None),
        ("http://", None),
    ],
)
def test_links_lead_to_the_web_or_nowhere(link: str, address: str | None) -> None:
    html = rendered(f"see [this](<{link}>) there", BASE).html
    assert ("<a " in html) == (address is not None)
    assert "this" in html
    if address is not None:
        assert f'href="{address}"' in html
        assert 'rel="noopener noreferrer nofollow"' in html


def test_without_a_base_links_to_files_are_texts() -> None:
    assert rendered("[a](b.md) [c](https://example.com)", None).html == (
        '<p>a <a href="https://example.com" rel="noopener noreferrer nofollow">c</a></p>\n'
    )


def test_images_are_left_out() -> None:
    assert "<img" not in rendered("![a](https://example.com/x.png)", BASE).html


ELEMENTS = ("script", "img", "iframe", "svg", "style", "form", "object", "link", "meta")
NEVER = (*(f"<{element}" for element in ELEMENTS), 'href="javascript:', "\u202e", "\x1b")


def test_no_text_becomes_an_element_that_it_names() -> None:
    assert len(ALL) > 200
    for text in ALL:
        html = rendered(f"{text}\n\n- {text}\n\n> {text}", BASE).html.lower()
        assert [one for one in NEVER if one in html] == [], text


def test_characters_that_markdown_names_are_visible() -> None:
    assert "\\u202e" in rendered("a &#x202e; b", None).html


def test_deep_nesting_ends() -> None:
    assert rendered(">" * 50_000 + " a", None).html
