"""docs/messages.md has each message of the code under its code, and no code is missing."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

from lve.message_codes.catalogue import entries

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))
import message_sites  # noqa: E402  (beside the pages)

sys.path.pop(0)
KINDS = runpy.run_path(str(Path(__file__).with_name("test_error_kinds_page.py")))
OF_PLUGINS = {"error", "session"}
"""Codes of classes that lve's own code never uses without another code."""
FIRST = "raise UsageError('it is', code='x')"


@pytest.fixture(scope="module")
def sites() -> list[message_sites.Site]:
    """The places of lve: found when a test needs them, not by each process that collects tests."""
    return message_sites.find_sites()


def found(source: str) -> list[message_sites.Site]:
    """The places in a text of code, as of one file."""
    module = message_sites._Module("file.py", source)
    classes = {"UsageError": "usage", "TrustError": "untrusted", "TemplateError": "prompt"}
    calls = message_sites._calls(module)
    sites = (message_sites._site(module, call, classes, {"KIND": "k"}) for call in calls)
    return [site for site in sites if site is not None]


@pytest.mark.parametrize("name", ["messages", "kinds"])
def test_a_page_is_up_to_date(name: str) -> None:
    made = runpy.run_path(str(ROOT / "docs" / "generate_messages.py"))
    page = made[name.upper()].read_text(encoding="utf-8")
    assert page == made[f"{name}_page"](), "run: make docs"


def test_each_place_that_makes_a_message_gives_a_code_with_one_cause(
    sites: list[message_sites.Site],
) -> None:
    """An error of a class with many causes says which it is."""
    assert [f"{site.file}:{site.line}" for site in sites if site.is_broad] == []


def test_each_code_of_the_code_is_in_the_catalogue_and_the_other_way_round(
    sites: list[message_sites.Site],
) -> None:
    used = {code for site in sites for code in site.codes}
    classes = message_sites.classes_of(message_sites.modules().values())
    of_classes = {*classes.values()} - {None}
    used |= of_classes | KINDS["kinds_in_code"]()
    used -= {"undecided"}  # of an error that never leaves the engine of batches
    assert used == {*entries()}
    assert of_classes >= OF_PLUGINS


def test_most_messages_are_known_by_their_text(sites: list[message_sites.Site]) -> None:
    """Otherwise the page would miss what people search for."""
    with_text = sum(bool(site.texts) for site in sites)
    assert len(sites) > 900
    assert with_text > 0.8 * len(sites)


@pytest.mark.parametrize(
    ("source", "codes", "texts"),
    [
        (FIRST, ("x",), ("it is",)),
        ("raise TrustError(f'is {x} so')", ("untrusted",), ("is … so",)),
        ("raise TemplateError('no row', stage='ice')", ("template_ice",), ("no row",)),
        ("Problem('was it', code='a' if b else 'c')", ("a", "c"), ("was it",)),
        ("def f():\n m, h = 'text', 1\n g(m)\n raise UsageError(m, code=KIND)", ("k",), ("text",)),
        (
            "def f():\n if a:\n  m = 'of a'\n  yield Problem(m, code='x')\n m = 'of b'\n g(m)",
            ("x",),
            ("of a",),
        ),
        (
            "def f():\n if a:\n  m = 'of a'\n else:\n  m = 'or b'\n yield Problem(m, code='x')",
            ("x",),
            ("of a", "or b"),
        ),
        ("warn(with_code('too late', 'late'))", ("late",), ("too late",)),
        ("raise UsageError('yes' if a else 'not so', code=c.code)", (), ("yes", "not so")),
        ("position.problem('here', code='d')", ("d",), ("here",)),
        ("problem('of another function')", None, None),
        ("click.UsageError('of click')", None, None),
    ],
)
def test_a_place_is_understood(
    source: str, codes: tuple[str, ...] | None, texts: tuple[str, ...] | None
) -> None:
    sites = found(source)
    assert [(site.codes, site.texts) for site in sites] == (
        [] if codes is None else [(codes, texts)]
    )


def test_a_place_without_a_code_is_found() -> None:
    (site,) = found("raise UsageError('something')")
    assert site.is_broad
    assert not found(FIRST)[0].is_broad


@pytest.mark.parametrize(
    ("words", "codes"),
    [
        ("can't be read: ", {"unreadable", "session_unreadable", "script"}),
        ("can't be written: ", {"unwritable", "session_unwritable", "cache"}),
        ("not UTF-8", {"encoding", "prompt_object"}),
        ("nothing is overwritten", {"exists"}),
        ("pip install ", {"missing_package", "plugin"}),
    ],
)
def test_what_is_said_alike_has_the_same_codes(
    words: str, codes: set[str], sites: list[message_sites.Site]
) -> None:
    said = [site for site in sites if site.codes and any(words in text for text in site.texts)]
    assert said
    wrong = [f"{one.file}:{one.line}: {one.codes}" for one in said if not codes >= {*one.codes}]
    assert wrong == []
