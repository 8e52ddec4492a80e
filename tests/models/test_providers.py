"""A provider is one room and one row: nothing else in lve names it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import lve
from lve.extension_table import PARTS
from lve.models.known_models import known_servers

ROOT = Path(lve.__file__).parent
ELSEWHERE = {
    # promptfoo's own names of providers.
    "extensions/importing/promptfoo/providers/model_names.py": {"anthropic"},
    "extensions/exporting/promptfoo_checks.py": {"anthropic", "gemini"},
    "extensions/importing/promptfoo/providers/args.py": {"anthropic", "gemini"},
    "extensions/importing/promptfoo/providers/call_forms.py": {"anthropic"},
    "extensions/importing/promptfoo/providers/tools.py": {"anthropic"},
    # The batches of all providers are one room.
    "extensions/batch/anthropic.py": {"anthropic"},
    "extensions/batch/batching.py": {"anthropic"},
}


def is_named(provider: str, module: Path) -> bool:
    """Return whether names or texts of a module's code have the provider's name."""
    text = module.read_text(encoding="utf-8")
    return provider in text.lower() and any(provider in word.lower() for word in words(text))


def words(text: str) -> Iterator[str]:
    """Yield names and texts of a module's code; docstrings may name providers as examples."""
    tree = ast.parse(text)
    docs = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value
        elif isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


@pytest.mark.parametrize("provider", ["anthropic", "gemini"])
def test_a_provider_is_named_in_its_room_and_in_the_tables(provider: str) -> None:
    assert provider in known_servers()
    assert f"extensions.{provider}" in PARTS[provider]
    modules = {module.relative_to(ROOT).as_posix(): module for module in ROOT.rglob("*.py")}
    own = f"extensions/{provider}/"
    naming = {
        path
        for path, module in modules.items()
        if not path.startswith(own) and is_named(provider, module)
    }
    allowed = {path for path, providers in ELSEWHERE.items() if provider in providers}
    assert naming == {"extension_table.py", *allowed}
