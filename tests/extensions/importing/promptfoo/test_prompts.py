"""Prompts: texts, chats, files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from extensions.importing.promptfoo.sources import source_in

from lve.extensions.importing.promptfoo.prompts import Prompt, read_prompts


def prompts(folder: Path, given: Any) -> list[Prompt]:
    source, at = source_in(folder)
    found = read_prompts(source, given, at)
    assert bool(found) != bool(source.left_out)
    return found


@pytest.mark.parametrize(
    ("given", "contents"),
    [
        ("{{a}} {b}", ["{a} {{b}}"]),
        (["x", "y"], ["x", "y"]),
        ([{"raw": "x", "label": "l"}], ["x"]),
        ("[not json", ["[not json"]),
        ("[1, 2]", ["[1, 2]"]),
        ("- role: user\n  content: '{{a}}'\n", ["{a}"]),
        ("two.txt", ["one", "two"]),
        ("file://two.txt", ["one", "two"]),
        ({"two.txt": "l"}, ["one", "two"]),
        ("file://chat.yaml", ["hi {x}"]),
        ("file://block.yaml", ["hi {x}\n"]),
        ("Read the file.txt", ["Read the file.txt"]),
        ('[{"role": "user", "content": {{ x | dump }}}]', ["{x}"]),
        (
            '[{"role": "user", "content": [{"type": "text", "text": "{{a}} {b}"}, '
            '{"type": "image_url", "image_url": {"url": "{{u}}"}}]}]',
            [
                [
                    {"type": "text", "text": "{a} {{b}}"},
                    {"type": "image_url", "image_url": {"url": "{u}"}},
                ]
            ],
        ),
    ],
)
def test_contents(tmp_path: Path, given: object, contents: list[object]) -> None:
    (tmp_path / "two.txt").write_text("one\n---\r\n\ntwo\n---\n")
    (tmp_path / "chat.yaml").write_text("- role: user\n  content: hi {{x}}\n")
    (tmp_path / "block.yaml").write_text("- role: user\n  content: |\n    hi {{x}}\n")
    found = [message["content"] for one in prompts(tmp_path, given) for message in one.messages]
    assert found == contents


@pytest.mark.parametrize(
    "given",
    [
        *("", 3, None, ["file://gone.txt"], "file://x.py", "prompt.js", "file://*.txt"),
        *('[{"role": "user"}]', '[{"role": "user", "content": [1]}]', "{{a.b}}", "{{a"),
        *("portkey://pp-1", "langfuse://p", "helicone://p"),
        *('[{"role": "user", "content": "x", "name": "y"}]', "{% raw %}x{% endraw %}"),
    ],
)
def test_what_is_left_out(tmp_path: Path, given: object) -> None:
    assert prompts(tmp_path, given) == []


def test_labels(tmp_path: Path) -> None:
    (tmp_path / "two.txt").write_text("one\n---\ntwo")
    given = ["x", {"raw": "y", "label": "l"}, "two.txt", {"id": "two.txt", "label": "m"}]
    labels = [prompt.label for prompt in prompts(tmp_path, given)]
    assert labels == ["prompt 1", "l", "two", "two", "m", "m"]
