"""Writes `lve/__init__.pyi`, the public names for type checkers and editors (`make docs`).

A test fails if the file is stale.
"""

from __future__ import annotations

from pathlib import Path

import lve

STUB = Path(__file__).parents[1] / "lve" / "__init__.pyi"
HEAD = '''"""The public names, for type checkers. Written by `make docs` from `lve/__init__.py`."""

'''


def stub() -> str:
    """Return the content of the file."""
    lines = [
        f"from {module} import {name} as {name}\n"
        for module, names in sorted(lve.PUBLIC.items())
        for name in names
    ]
    return HEAD + "".join(lines) + "\n__all__: list[str]\nPUBLIC: dict[str, tuple[str, ...]]\n"


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
