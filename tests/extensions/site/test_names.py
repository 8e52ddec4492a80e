"""Where the page of a test lies."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.extensions.site.names import MAX_LENGTH, page_path, path_to_root

SAFE = re.compile(r"tests/(?:[a-z0-9_][a-z0-9_-]*/)*[a-z0-9_][a-z0-9_-]*\.html")


@pytest.mark.parametrize(
    ("test", "page"),
    [
        ("repository/privacy/names", "tests/repository/privacy/names.html"),
        ("a", "tests/a.html"),
        ("gpt-4/x_1", "tests/gpt-4/x_1.html"),
    ],
)
def test_a_plain_path_stays_readable(test: str, page: str) -> None:
    assert page_path(test) == page


def test_names_that_differ_in_capitals_have_different_pages_on_every_system() -> None:
    pages = {page_path(test).lower() for test in ("a/b", "A/b", "a/B", "a.html/b", "a-html/b")}
    assert len(pages) == 5


def test_the_page_of_a_test_and_the_folder_of_another_are_never_the_same() -> None:
    assert page_path("a") == "tests/a.html"
    assert not page_path("a.html/b").startswith("tests/a.html")


@given(st.lists(st.text(min_size=1, max_size=80), min_size=1, max_size=12), st.data())
def test_every_path_is_safe_short_and_its_own(steps: list[str], data: st.DataObject) -> None:
    test = "/".join(steps)
    other = data.draw(st.sampled_from([test + "x", test.upper(), f"{test}/x", test[1:]]))
    page = page_path(test)
    assert SAFE.fullmatch(page)
    assert len(page) <= MAX_LENGTH + len("tests/.html")
    assert (page_path(other) == page) == (other == test)


def test_the_way_up_leads_to_the_root() -> None:
    assert [path_to_root(page) for page in ("index.html", "tests/a.html", "tests/a/b.html")] == [
        "",
        "../",
        "../../",
    ]
