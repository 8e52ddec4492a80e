"""Every field of every wire, there and not there (tests/cases/models/fields).

What a wire sends for a request with one thing in it, and what it reads of an answer that lacks one
field or has another kind of value there. `make records` writes the files anew: each change of them
is meant, and seen in the diff.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from wire_fields import FIELDS, WIRES, read_by, sent_by

KINDS = {"sent": sent_by, "read": read_by}


def recorded(provider: str, kind: str) -> Any:
    return json.loads((FIELDS / f"{provider}.{kind}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("provider", WIRES)
def test_each_field_there_and_not_there(provider: str, kind: str) -> None:
    before, now = recorded(provider, kind), KINDS[kind](provider)
    wrong = [
        (name, before[name], now.get(name)) for name in before if now.get(name) != before[name]
    ]
    assert wrong == []


def main() -> None:
    """Write what the wires say now, one request or changed place a line."""
    for provider in WIRES:
        for kind, say in KINDS.items():
            rows = ",\n".join(
                f" {json.dumps(name)}: {lines(value) if kind == 'read' else json.dumps(value)}"
                for name, value in say(provider).items()
            )
            (FIELDS / f"{provider}.{kind}.json").write_text(f"{{\n{rows}\n}}\n", encoding="utf-8")


def lines(value: dict[str, Any]) -> str:
    rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(said)}" for name, said in value.items())
    return f"{{\n{rows}\n }}"


if __name__ == "__main__":
    main()
