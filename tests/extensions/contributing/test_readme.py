"""The generated block of READMEs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from extensions.contributing.contribution import README, write_contribution, write_repository

from lve.errors import SpecError
from lve.extensions.contributing.description import BEGIN, END, describe_test, write_readme, written
from lve.files.inside import DOCUMENT_BYTES
from lve.spec.load import load_spec
from lve.spec.spec import Spec


@pytest.fixture
def folder(root: Path) -> Path:
    return write_contribution(write_repository(root))


def page(spec: Spec) -> str:
    return (spec.folder / "README.md").read_text("utf-8")


def test_what_stands_around_the_block_stays(folder: Path) -> None:
    spec = load_spec(folder)
    assert write_readme(spec)
    assert not write_readme(spec), "it is as it should be"
    assert page(spec).startswith(f"{README}\n{BEGIN}\n\nThe model greets back.\n")
    text = page(spec).replace("# Greetings", "# Salutations") + "\nSee also: manners.\n"
    (folder / "README.md").write_text(text.replace("greets back", "waves"))
    assert write_readme(spec)
    assert page(spec) == text


def test_a_readme_that_is_missing_is_begun(folder: Path) -> None:
    (folder / "README.md").unlink()
    spec = load_spec(folder)
    assert written(spec)[0] is None
    write_readme(spec)
    assert page(spec).startswith("# Greeting\n\n<!-- lve readme")
    assert not write_readme(spec)


@pytest.mark.parametrize(
    "text", [BEGIN, END, END + BEGIN, BEGIN + END + BEGIN, BEGIN + END + END, BEGIN + BEGIN + END]
)
def test_half_a_block_is_refused(folder: Path, text: str) -> None:
    (folder / "README.md").write_text(text)
    spec = load_spec(folder)
    if text == BEGIN + BEGIN + END:
        write_readme(spec)  # the second is part of what is replaced
        assert page(spec).count(BEGIN) == 1
        return
    with pytest.raises(SpecError, match="no beginning, no end, or occurs twice"):
        write_readme(spec)
    assert page(spec) == text


def test_a_readme_that_is_a_link_is_not_followed(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.md"
    other.write_text("mine")
    (folder / "README.md").unlink()
    (folder / "README.md").symlink_to(other)
    with pytest.raises(SpecError):
        write_readme(load_spec(folder))
    assert other.read_text() == "mine"


HOSTILE = "```\n<!-- lve readme: end -->\n# Title\n<img src=x onerror=y> \u202e[a](b)"


def test_hostile_text_is_only_text(folder: Path) -> None:
    file = folder / "test.yaml"
    text = file.read_text().replace("The model greets back.", json.dumps(f"|a| {HOSTILE}"))
    file.write_text(text.replace("Go away.", json.dumps(f"Go away. {HOSTILE}")))
    spec = load_spec(folder)
    write_readme(spec)
    assert not write_readme(spec)
    shown = describe_test(spec)
    assert "<img" not in shown.partition("````")[0]
    assert "\u202e" not in shown
    assert "\n````text\nGo away." in shown
    assert page(spec).count(END) == 1


def test_a_page_that_would_be_too_long_stays_whole(folder: Path) -> None:
    text = "# Greetings\n\n" + "é" * (DOCUMENT_BYTES // 2 - 100)
    (folder / "README.md").write_text(text, "utf-8")
    spec = load_spec(folder)
    with pytest.raises(SpecError, match=r"and may have 1,000,000: shorten it"):
        write_readme(spec)
    assert page(spec) == text
