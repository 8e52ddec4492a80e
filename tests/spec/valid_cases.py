"""Loads a folder of tests/cases/valid and tells what was understood, by path."""

from __future__ import annotations

import dataclasses
import os
from enum import Enum
from pathlib import Path
from typing import Any

from lve.data.instances import iter_instances
from lve.documents.read import DocumentPosition
from lve.errors import Problem
from lve.spec.load import load_spec

CASES = Path(__file__).parent.parent / "cases" / "valid"


def understood(folder: Path) -> dict[str, Any]:
    """Return a test and its instances."""
    spec = load_spec(folder, folder.parent)
    return {"spec": spec, "instances": list(iter_instances(spec))}


def at(value: Any, path: str) -> Any:
    """Return the value at a path such as `spec.prompts.0.name`; `*` stands for all of a list."""
    for number, step in enumerate(steps := path.split(".")):
        if step == "*":
            rest = ".".join(steps[number + 1 :])
            return [at(each, rest) if rest else plain(each) for each in value]
        if isinstance(value, dict):
            value = value[step]
        else:
            value = value[int(step)] if step.isdigit() else getattr(value, step)
    return plain(value)


def plain(value: Any) -> Any:
    """Return a value as YAML has it, without the place of this checkout."""
    if isinstance(value, DocumentPosition):
        return f"{value.file.name}:{value.line}:{value.column} {value.path}"
    if isinstance(value, str | Problem):
        return str(value).replace(f"{os.path.relpath(CASES)}/", "")
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
        return {name: plain(getattr(value, name)) for name in names}
    if hasattr(value, "_asdict"):
        return {name: plain(inner) for name, inner in value._asdict().items()}
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, Path):
        return value.name
    return value.value if isinstance(value, Enum) else value
