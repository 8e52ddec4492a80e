"""A whole site."""

from __future__ import annotations

import html
import json
import re
import sys
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from extensions.site.hostile_pages import ALL
from support.folders import workspace, write_sums, write_test

from lve.errors import MissingExtraError
from lve.extensions.site import build as site_build
from lve.extensions.site.build import SiteBuilder, SiteOptions
from lve.extensions.site.output import SiteFolder
from lve.extensions.site.recorded import ModelResult
from lve.spec.discover import discover
from lve.verdicts.rates.clusters import population_rate
from lve.workspace import Workspace


def build(root: Path, out: Path, results: Any = None, **options: Any) -> SiteBuilder:
    chosen = SiteOptions(**{"title": "Our tests", **options})
    with SiteFolder(out) as folder:
        builder = SiteBuilder(Workspace(root), folder, chosen, results or {})
        for file in discover([root], report=lambda problem: None):
            builder.add(file)
        builder.finish()
    return builder


def page(out: Path, name: str = "index.html") -> str:
    return (out / name).read_text(encoding="utf-8")


def data(out: Path) -> list[dict[str, Any]]:
    found = re.search(r'<script type="application/json" id="tests">(.*?)</script>', page(out))
    assert found is not None
    value: list[dict[str, Any]] = json.loads(found[1])
    return value


class Links(HTMLParser):
    """Collects the addresses and the ids of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.ids.add(given.get("id") or "")
        for name in ("href", "src", "action"):
            if given.get(name):
                self.found.append(str(given[name]))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = workspace(tmp_path / "w")
    write_test(
        root / "repository" / "privacy" / "names",
        description="Names stay private.",
        author="Ann",
        tags=[{"name": "severity", "value": "high"}],
        prompt=[{"content": "Who is {name}?"}],
        prompt_parameters=["name"],
        instances=[
            {"args": {"name": "Bo"}, "response": "secret answer", "passed": False},
            {"args": {"name": "Cy"}, "response": "I can't say", "passed": True},
        ],
    )
    (root / "repository" / "privacy" / "names" / "README.md").write_text("# Whose name\n\nWhy.")
    write_sums(root / "repository" / "numbers" / "sums", 40)
    return root


def test_each_test_has_a_page_and_a_place_in_the_list(root: Path, tmp_path: Path) -> None:
    builder = build(root, tmp_path / "site")
    assert [(one.category, one.title) for one in builder.tests] == [
        ("numbers", "sums"),
        ("privacy", "Whose name"),
    ]
    text = page(tmp_path / "site", "tests/repository/privacy/names.html")
    for shown in (
        "Whose name",
        "Names stay private.",
        "Who is <mark>{name}</mark>?",
        "RegexChecker",
        "severity: high",
        "secret answer",
        "I can&#39;t say",
        "lve run repository/privacy/names --model dummy/dummy",
        "pytest repository/privacy/names --lve-model dummy/dummy",
        "Ann",
        "&#34;checker_name&#34;",
    ):
        assert shown in text
    home = page(tmp_path / "site")
    assert "Whose name" in home
    assert 'href="tests/repository/privacy/names.html"' in home
    assert [one["category"] for one in data(tmp_path / "site")] == ["numbers", "privacy"]


@pytest.mark.parametrize("word", ["bo", "who is {name}?", "ann", "severity: high", "secret answer"])
def test_everything_of_a_test_is_searched(root: Path, tmp_path: Path, word: str) -> None:
    build(root, tmp_path / "site")
    texts = {tuple(one["tag"]): one["text"] for one in data(tmp_path / "site")}
    assert word in texts["severity: high",]


def test_all_links_lead_to_files_of_the_site(root: Path, tmp_path: Path) -> None:
    write_test(root / "repository" / "Wei\u00dfe & Rosen" / "a#b?c%d")
    out = tmp_path / "site"
    build(root, out)
    pages = sorted(out.rglob("*.html"))
    assert len(pages) == 4
    for file in pages:
        for link in Links(file.read_text(encoding="utf-8")).found:
            if link.startswith("data:"):
                continue
            assert ":" not in link.partition("#")[0]
            path, _, anchor = link.partition("#")
            target = (file.parent / unquote(path)) if path else file
            assert target.is_file(), f"{file}: {link}"
            if anchor and "=" not in anchor:
                assert anchor in Links(target.read_text(encoding="utf-8")).ids


def test_the_same_tests_give_the_same_bytes(root: Path, tmp_path: Path) -> None:
    build(root, tmp_path / "a")
    build(root, tmp_path / "b")
    files = sorted(file.relative_to(tmp_path / "a") for file in (tmp_path / "a").rglob("*.html"))
    assert len(files) == 3
    for file in files:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
        assert str(tmp_path) not in (tmp_path / "a" / file).read_text(encoding="utf-8")


def test_a_broken_test_is_listed_with_what_is_wrong_and_stops_nothing(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)
    write_test(root / "repository" / "a" / "broken", promt="x", description="broken one")
    write_test(root / "repository" / "a" / "unfilled", prompt=[{"content": "{nobody}"}])
    builder = build(root, tmp_path / "site")
    assert len(builder.tests) == 2
    assert len(builder.broken) == 2
    home = page(tmp_path / "site")
    assert "<code>repository/a/broken/test.json:" in home
    assert "unknown key `promt`" in home
    assert "nobody" in home
    assert not list((tmp_path / "site").rglob("broken.html"))


@pytest.mark.parametrize(("most", "said"), [(1, "1 more"), (2, ""), (3, "")])
def test_problems_that_are_not_listed_are_counted(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, said: str
) -> None:
    monkeypatch.setattr(site_build, "SHOWN_PROBLEMS", most)
    for name in ("broken", "wrong"):
        write_test(root / "repository" / "a" / name, promt="x")
    build(root, tmp_path / "site")
    more = re.search(r"(\d+ more): <code>lve check</code>", page(tmp_path / "site"))
    assert (more[1] if more else "") == said


def test_places_are_those_of_the_workspace_wherever_it_lies(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with (root / "repository/privacy/names/instances/main.jsonl").open("a") as file:
        file.write('{"args": 3}\n\u202e\n')
    for name in ("broken", "wrong"):
        write_test(root / "repository" / "a" / name, promt="x")
    build(root, tmp_path / "site")
    place = "<code>repository/privacy/names/instances/main.jsonl:3</code>"
    assert place in page(tmp_path / "site", "tests/repository/privacy/names.html")
    assert place in page(tmp_path / "site")
    for file in (tmp_path / "site").rglob("*.html"):
        text = file.read_text(encoding="utf-8")
        assert str(tmp_path) not in text
        assert "\u202e" not in text


def test_without_its_packages_it_says_which_to_install(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'lve\[site\]'"):
        build(root, tmp_path / "site")
    assert [one.name for one in tmp_path.iterdir()] == ["w"]


def test_a_bug_while_one_test_is_shown_stops_no_other(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(spec: Any) -> Any:
        if spec.name == "names":
            raise ZeroDivisionError
        return []

    monkeypatch.setattr("lve.extensions.site.pages.shown_checkers", fail)
    builder = build(root, tmp_path / "site")
    assert [one.title for one in builder.tests] == ["sums"]
    assert "describing the test" in page(tmp_path / "site")


def test_links_to_the_source_begin_as_the_user_says(root: Path, tmp_path: Path) -> None:
    build(root, tmp_path / "site", source="https://example.org/blob/main/")
    text = page(tmp_path / "site", "tests/repository/privacy/names.html")
    address = "https://example.org/blob/main/repository/privacy/names/test.json"
    assert address in Links(text).found


def test_results_of_models_are_shown_with_their_interval(root: Path, tmp_path: Path) -> None:
    results = {
        "repository/privacy/names": [
            ModelResult("a/m", "20261101-1", 3, 1, 2, population_rate({(1, 1): 3, (0, 1): 1}))
        ]
    }
    build(root, tmp_path / "site", results)
    text = page(tmp_path / "site", "tests/repository/privacy/names.html")
    assert "75% passed; with 95 % confidence between 19% and 99%" in text
    assert "20261101-1" in text
    assert data(tmp_path / "site")[1]["model"] == ["a/m", "dummy/dummy"]
    assert "a/m" in page(tmp_path / "site")


def write_hostile(root: Path, number: int, text: str) -> None:
    """Write a test that has a text wherever one can stand."""
    plain_text = text.encode("utf-8", "replace").decode()  # no file has half a character
    name = f"n{number}" + "".join("_" if one in "/\0" else one for one in plain_text)[:40]
    answers = {text: text, "b": text}
    folder = write_test(
        root / "repository" / name / f"t {name}",
        description=text,
        author=text[:100],
        model=f"openai/{text}",
        skip=text,
        tags=[{"name": "a", "value": text}],
        prompt=[{"content": text.replace("{", "{{").replace("}", "}}")}],
        instances=[
            {
                "args": {"x": text},
                "response": answers,
                "passed": False,
                "author": text,
                "run_info": {"model": text, "source": "model"},
            }
        ],
    )
    (folder / "README.md").write_text(f"# {plain_text}\n\n{plain_text}\n", encoding="utf-8")


def test_secrets_with_characters_of_html_and_markdown_are_taken_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    password, key = 'pA&s<w"9_Yz*x*_end', "Begin  Of Key\nx9Yz Q end"
    monkeypatch.setenv("TEST_PASSWORD", password)
    monkeypatch.setenv("TEST_PRIVATE_KEY", key)
    said = f"{password} and {key}"
    folder = write_test(
        workspace(tmp_path / "w") / "t",
        description=said,
        prompt=[{"content": said}],
        instances=[{"args": {}, "response": said, "passed": False}],
    )
    (folder / "README.md").write_text(f"# {password}\n\n{said}\n\n`{said}`\n", encoding="utf-8")
    out = tmp_path / "site"
    build(tmp_path / "w", out)
    for file in out.rglob("*.html"):
        shown = re.sub("<[^>]+>", "", file.read_text(encoding="utf-8"))
        flat = " ".join(html.unescape(shown).lower().split())
        assert "[redacted]" in flat
        for piece in ("pa&s", "yz", "begin of", "x9yz"):
            assert piece not in flat, (file, piece)


def test_hostile_texts_are_texts_everywhere(tmp_path: Path) -> None:
    root, out = workspace(tmp_path / "w"), tmp_path / "site"
    for number, text in enumerate(ALL):
        write_hostile(root, number, text)
    builder = build(root, out, title=ALL[1])
    assert len(builder.tests) + len(builder.broken) == len(ALL)
    assert len(builder.tests) > 0.9 * len(ALL)
    pages = sorted(out.rglob("*.html"))
    assert len(pages) == len(builder.tests) + 1
    for file in pages:
        written = file.read_text(encoding="utf-8")
        found = Elements(written)
        assert found.scripts == (2 if file.name == "index.html" else 1), file
        assert not found.names & {"img", "iframe", "object", "embed", "base", "math", "video"}
        assert not found.handlers, found.handlers
        assert "\u202e" not in written
        assert "\x1b" not in written
    assert len(data(out)) == len(builder.tests)


class Elements(HTMLParser):
    """Counts what a page has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.handlers: list[str] = []
        self.scripts = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.scripts += tag == "script"
        self.handlers += [name for name, _ in attrs if name.startswith("on") or name == "srcdoc"]
        self.handlers += [str(value) for name, value in attrs if name == "href" and bad(value)]


def bad(address: str | None) -> bool:
    return (
        str(address).lower().strip().startswith(("javascript:", "data:text", "file:", "vbscript"))
    )
