"""Loads a folder of tests/cases/valid and tells what was understood, as JSON."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Any

from lve.data.instances import iter_instances
from lve.documents.places import Position
from lve.spec.load import load_spec


def understood(folder: Path) -> dict[str, Any]:
    """Return what differs from the defaults in a test, and its instances."""
    spec = load_spec(folder, folder.parent)
    return {
        "spec": {
            name: value
            for name, value in _plain(spec).items()
            if value not in (None, [], {}, False) and name not in ("file", "root", "path", "name")
        },
        "instances": [_plain(instance) for instance in iter_instances(spec)],
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Position):
        return f"{value.file.name}:{value.line}:{value.column} {value.path}"
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
        return {name: _plain(getattr(value, name)) for name in names}
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, Path):
        return value.name
    if isinstance(value, str):
        return value.replace(f"{os.path.relpath(Path(__file__).parent.parent)}/cases/valid/", "")
    return json.loads(json.dumps(value))
