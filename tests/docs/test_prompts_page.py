"""docs/prompts.md: its files are prompt files, its table of fillings is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from prompts.files_to_send import write_files
from prompts.messages.message_plans import instance, make_plan

from lve.documents.yaml_text import parse_yaml
from lve.errors import PromptError
from lve.execution.attachments import MAX_IN_FLIGHT_BYTES
from lve.prompts.attachments import MAX_FILE_BYTES, MAX_TOGETHER_BYTES, with_files
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


def test_the_example_with_files_sends_them(tmp_path: Path) -> None:
    document = parse_yaml(PAGE.partition("```yaml files.yaml\n")[2].partition("```")[0])
    write_files(tmp_path)
    (tmp_path / "images").mkdir()
    (tmp_path / "red.png").rename(tmp_path / "images" / "red.png")
    (tmp_path / "a.pdf").rename(tmp_path / "terms.pdf")
    plan = make_plan(tmp_path, **document, prompt_parameters=["name"])
    [conversation] = with_files(plan.preview(instance(name="red")), tmp_path / "test.json")
    types = [[part["type"] for part in m.content or ()] for m in conversation.messages]  # type: ignore[union-attr]
    assert types == [["text", "image"], ["text", "file", "text"], []]


def test_the_limits_of_files_are_those_on_the_page() -> None:
    limits = (MAX_FILE_BYTES, MAX_TOGETHER_BYTES, MAX_IN_FLIGHT_BYTES)
    text = " ".join(PAGE.split())
    one, together, in_flight = (f"{limit // 1_000_000} MB" for limit in limits)
    assert f"It may have {one}, all files of a conversation together {together}" in text
    assert f"Files of {in_flight} are under way at once" in text


def test_the_cap_is_the_one_on_the_page() -> None:
    assert f"above {MAX_WIDTH} is refused" in PAGE
