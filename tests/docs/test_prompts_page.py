"""docs/prompts.md: its files are prompt files, its table of fillings is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lve.errors import PromptError
from lve.prompts.fill import MAX_WIDTH, fill
from lve.prompts.messages.prompt_file import parse_prompt_file

PAGE = (Path(__file__).parents[2] / "docs" / "prompts.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"```text (\S+\.prompt)\n(.*?)```", PAGE, re.DOTALL))
FILLINGS = re.findall(r"^\| `(.+?)` \| `(.+?)` \|$", PAGE, re.MULTILINE)
PARAMETERS = {
    "n": 7,
    "x": 1.5,
    "word": "tea",
    "cities": ["Oslo", "Rome"],
    "of": {"Italy": "Rome"},
    "w": 5,
}


@pytest.mark.parametrize(
    ("name", "roles"),
    [
        ("plain.prompt", ["user"]),
        ("object.prompt", ["system"]),
        ("lines.prompt", ["system", "user", "assistant", "user"]),
    ],
)
def test_example_files_hold_what_the_page_says(name: str, roles: list[str]) -> None:
    parsed = parse_prompt_file(FILES[name], Path(name))
    assert [message.role.value for message in parsed.messages] == roles


def test_the_page_has_fillings() -> None:
    assert len(FILLINGS) == 10


@pytest.mark.parametrize(("written", "filled"), FILLINGS)
def test_fillings_are_true(written: str, filled: str) -> None:
    assert fill(written, PARAMETERS) == filled


@pytest.mark.parametrize("text", ["{word.upper}", "{}", "{0}", "{n:100000}"])
def test_what_the_page_calls_refused_is_refused(text: str) -> None:
    assert f"`{text}`" in PAGE
    with pytest.raises(PromptError):
        fill(text, PARAMETERS)


def test_the_cap_is_the_one_on_the_page() -> None:
    assert f"above {MAX_WIDTH} is refused" in PAGE
