"""What eats hostile inputs: one function per kind, which may only raise an error on purpose."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from support.answer_bytes import answer_to_wire, parse_everything

from lve.data.instances import iter_instances
from lve.documents.json_text import json_places, parse_json
from lve.documents.position_types import TextError
from lve.documents.toml_text import parse_toml
from lve.documents.yaml_text import parse_yaml, yaml_places
from lve.errors import LveError
from lve.prompts.answers.answer_format import JsonAnswer
from lve.prompts.answers.answer_schema import schema_problems
from lve.prompts.messages.prompt_file import parse_prompt_file
from lve.sessions.journal.reading import read_journal
from lve.sessions.session_file import read_session_file
from lve.spec.load import load_spec

SPEC = (
    "description: d\nmodel: m\nprompt: [{content: hi}]\n"
    "checker_args: {checker_name: ExactMatchChecker, pattern: x}\n"
)
SCHEMA = {"type": ["array", "object"], "uniqueItems": True, "items": {"multipleOf": 0.5}}

Eat = Callable[[bytes], None]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _document(folder: Path, name: str) -> Eat:
    """Return what loads a test document, as `lve check` does."""
    folder = folder / name.replace(".", "_")
    folder.mkdir()

    def eat(data: bytes) -> None:
        (folder / name).write_bytes(data)
        load_spec(folder, folder)

    return eat


def _instances(folder: Path) -> Eat:
    file = folder / "instances" / "a.jsonl"
    file.parent.mkdir()
    (folder / "test.yaml").write_text(SPEC, encoding="utf-8")
    spec = load_spec(folder, folder)

    def eat(data: bytes) -> None:
        file.write_bytes(data)
        deque(map(str, iter_instances(spec)), maxlen=0)

    return eat


def _session(folder: Path) -> Eat:
    file = folder / "session.json"

    def eat(data: bytes) -> None:
        file.write_bytes(data)
        read_session_file(file)

    return eat


def _journal(folder: Path) -> Eat:
    file = folder / "results.jsonl"

    def eat(data: bytes) -> None:
        file.write_bytes(data)
        deque(read_journal(file), maxlen=0)

    return eat


def _places(data: bytes) -> None:
    text = _text(data)
    for parse, find in ((parse_json, json_places), (parse_yaml, yaml_places)):
        with suppress(TextError):
            parse(text)
            find(text)


def _toml(data: bytes) -> None:
    parse_toml(_text(data))


def _prompt(data: bytes) -> None:
    parse_prompt_file(_text(data), Path("a.prompt"))


def _answer(data: bytes) -> None:
    _hold(SCHEMA, _text(data))


def _hold(schema: Any, answer: str) -> None:
    try:
        with suppress(LveError):
            JsonAnswer(schema).read(answer)
    except ValueError as error:
        if "JSON" not in str(error):  # said on purpose
            raise


def _schema(data: bytes) -> None:
    schema: Any = parse_json(_text(data))
    if isinstance(schema, dict) and not list(schema_problems(schema)):
        _hold(schema, "[[], [1, 1], {}]")


def _server(data: bytes) -> None:
    parse_everything(data)
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n" % len(data)
    for sent in (data, head + b"\r\n" + data, head + data, b"HTTP/1.1 200 OK\r\n" + data):
        with suppress(LveError):
            answer_to_wire(sent, cuts=(7, 20))


def targets(folder: Path) -> dict[str, tuple[str, Eat]]:
    """Return the targets by name, each with the kind of input that it eats.

    Args:
        folder: an empty one for their files.
    """
    return {
        "test.json": ("json", _document(folder, "test.json")),
        "test.yaml": ("yaml", _document(folder, "test.yaml")),
        "places": ("yaml", _places),
        "toml": ("toml", _toml),
        "prompt file": ("prompt", _prompt),
        "instances": ("instances", _instances(folder)),
        "session": ("session", _session(folder)),
        "journal": ("journal", _journal(folder)),
        "schema": ("schema", _schema),
        "answer": ("answer", _answer),
        "server": ("server", _server),
    }
