"""Writes parts of files that list a run's options, from `lve/options/run_options.py` (`make docs`).

A test fails if one of them is stale.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import Any

from lve.options.model_options import BaselineOptions, ModelOptions
from lve.options.option import OnResume, Option
from lve.options.run_options import DEFAULTS, OPTIONS, ChoosingOptions, RunOptions, spelled
from lve.pytest_plugin.options import TABLE

ROOT = Path(__file__).parents[1]
TYPES = {item.name: str(item.type) for item in fields(RunOptions)}
JSON_TYPES: Mapping[str, dict[str, Any]] = {
    "flag": {"type": "boolean"},
    "text": {"type": "string"},
    "path": {"type": "string"},
    "whole": {"type": "integer"},
    "number": {"type": "number"},
    "texts": {"type": "array", "items": {"type": "string"}},
    "mapping": {"type": "object"},
}
CLASSES = (object, ModelOptions, BaselineOptions, ChoosingOptions, RunOptions)
"""Each after its base class."""
ABOUT: Mapping[type, str] = {
    ModelOptions: '    """Which model to use, and how."""\n\n',
    BaselineOptions: '    """How a run is compared with a baseline."""\n\n',
    ChoosingOptions: '    """Which tests and rows run."""\n\n',
    RunOptions: ('    """The keyword arguments of `lve.run`: `make docs` writes them."""\n\n'),
}
PYTHON = [(name, option) for name, option in OPTIONS.items() if "python" in option.interfaces]


def arguments() -> str:
    """Return the arguments of `lve.run` with their types: for each class of options a class."""
    classes = []
    for base, kind in pairwise(CLASSES):
        lines = [argument(name, option) for name, option in PYTHON if name in kind.__annotations__]
        above = "TypedDict" if base is object else arguments_class(base)
        head = f"class {arguments_class(kind)}({above}, total=False):\n"
        classes.append(f"{head}{ABOUT[kind]}{''.join(lines)}")
    return "\n\n".join(classes)


def arguments_class(kind: type) -> str:
    """Return the name of the class of arguments that has the options of a class."""
    return kind.__name__.replace("Options", "Arguments")


def argument(name: str, option: Option) -> str:
    """Return the line of an argument, with its type."""
    kind = option.python_type or TYPES[name]
    if option.values.shape == "mapping":
        kind = f"{kind} | None"
    return f"    {option.python_word or name}: {kind}\n"


def described(name: str) -> str:
    """Return the help of an option for Python and JSON."""
    option = OPTIONS[name]
    text = option.python_help or option.help
    if option.default_text and getattr(DEFAULTS, name) is None:
        text += f" [default: {option.default_text}]"
    return text


def arguments_help() -> str:
    """Return the arguments for the docstring of `lve.run`."""
    lines = []
    for name, option in PYTHON:
        text = described(name)
        lines += textwrap.wrap(
            f"{option.python_word or name}: {text[0].lower()}{text[1:]}",
            width=100,
            initial_indent=" " * 8,
            subsequent_indent=" " * 12,
        )
    return "\n".join(lines) + "\n"


def schema() -> str:
    """Return the properties of `options` in session.json's schema.

    A range is only in the description. The schema doesn't enforce it, so that a wrong value is
    reported as a wrong option and not as a damaged file.
    """
    lines = []
    for name, option in OPTIONS.items():
        kind = dict(JSON_TYPES[option.values.shape])
        if getattr(DEFAULTS, name) is None:
            kind["type"] = [kind["type"], "null"]
        text = described(name)
        if option.values.range:
            text += f" [{option.values.range}]"
        kind["description"] = text[0].upper() + text[1:]
        lines.append(f'        "{name}": {json.dumps(kind)}')
    return ",\n".join(lines)


def pytest_table() -> str:
    """Return the table of docs/pytest.md."""
    lines = []
    for one in TABLE:
        metavar = f" {one.metavar}" if one.metavar else ""
        lines.append(f"| `{one.flag}{metavar}` | {one.help.replace('  ', ' ')} |")
    return "\n".join(lines)


def sessions_table() -> str:
    """Return the rows of docs/sessions.md about options of resumed sessions."""
    groups = [
        (_brought("fixed"), "kept; can't be changed, because they decide the results"),
        (_brought("kept"), "kept unless you give others"),
        (
            [n for n, one in OPTIONS.items() if one.at_most and one.on_resume != "fixed"],
            "kept up to the usual limit (64); give more again",
        ),
        (_brought("given_again"), "give again"),
        (_brought("not_stored"), "never kept: the current ones apply"),
    ]
    return "\n".join(
        f"| {', '.join(f'`{spelled(name)}`' for name in names)} | {what} |"
        for names, what in groups
    )


def _brought(how: OnResume) -> list[str]:
    return [
        name
        for name, option in OPTIONS.items()
        if option.on_resume == how and "run" in option.interfaces
    ]


PARTS: list[tuple[str, str, Callable[[], str], str]] = [
    ("lve/options/run_arguments.py", r"Callable\[..., Any\]\n\n\n", arguments, r"\n\ndef "),
    ("lve/api.py", r"\ndef run\(.*?\n        tests: [^\n]*\n", arguments_help, r"\n    Raises:"),
    ("schemas/session.schema.json", r'"options": {.*?"properties": {\n', schema, r"\n      }\n"),
    (
        "docs/sessions.md",
        r"\n\| options \| from the session\? \|\n\|---\|---\|\n",
        sessions_table,
        r"\n\| paths",
    ),
    ("docs/pytest.md", r"\n\| option \| \|\n\|---\|---\|\n", pytest_table, r"\n\n"),
]
"""File, the text before its generated part, the part, the text after it."""


def pages() -> dict[Path, str]:
    """Return the up-to-date content of each file."""
    found: dict[Path, str] = {}
    for name, before, part, behind in PARTS:
        file = ROOT / name
        text = found.get(file) or file.read_text(encoding="utf-8")
        pattern = re.compile(f"({before}).*?({behind})", re.DOTALL)
        head, start, end, tail = pattern.split(text, maxsplit=1)
        found[file] = "".join((head, start, part(), end, tail))
    return found


if __name__ == "__main__":
    for file, text in pages().items():
        file.write_text(text, encoding="utf-8")
