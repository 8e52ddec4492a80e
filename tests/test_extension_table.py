"""What the table of extensions names is there, and is what the core asks for."""

from __future__ import annotations

import ast
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from lve.extension_table import CHECKERS, PARTS, PLUGINS, VERBS
from lve.extension_table import __file__ as table

LVE = Path(table).parent


@cache
def text_of(module: str) -> str:
    """Return the text of a module, which isn't imported: it may need an extra."""
    spec = find_spec(module)
    assert spec is not None, module
    assert spec.origin is not None, module
    return Path(spec.origin).read_text(encoding="utf-8")


def names_in(module: str) -> set[str]:
    """Return the names that a module has."""
    names = set[str]()
    for node in ast.walk(ast.parse(text_of(module))):
        match node:
            case ast.Name(ctx=ast.Store()):
                names.add(node.id)
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.alias():
                names.add(node.name)
    return names


def test_an_object_is_in_its_module() -> None:
    for place in {*PARTS.values(), *PLUGINS.values()}:
        module, _, name = place.partition(":")
        assert name in names_in(module), place


def test_a_module_of_a_verb_has_its_command() -> None:
    for verb, module in VERBS.items():
        word = verb.replace("-", "_")
        assert {word, f"{word}_"} & names_in(module), verb


def test_a_module_of_a_checker_says_its_name() -> None:
    for checker, module in CHECKERS.items():
        is_said = f'"{checker}"' in text_of(module) or f"class {checker}" in text_of(module)
        assert is_said, f"{checker} isn't in {module}"


def test_each_part_is_asked_for() -> None:
    others = [path for path in LVE.rglob("*.py") if path != Path(table)]
    texts = "".join(path.read_text(encoding="utf-8") for path in others)
    joined = tuple(re.findall(r'extension_part\(f"([^"{]+)\{', texts))
    assert [
        name for name in PARTS if f'"{name}"' not in texts and not name.startswith(joined)
    ] == []
