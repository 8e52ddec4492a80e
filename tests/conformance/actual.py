"""Prints the results of conformance vectors.

    python tests/conformance/actual.py DIALECT DIR

reads every `*.json` file in DIR (a list of vectors, with or without `expected`) and prints one line
`{"id": ..., "actual": RESULT}` per vector; the README.md beside the vectors says what RESULT is. A
vector that breaks us gives `{"crash": ...}`, so that it can't be taken for a refusal.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).resolve().parent
DIALECTS = {
    "lve": "lve_prompts",
    "opencompass": "opencompass",
    "ragas": "ragas",
    "verdicts": "verdicts",
}
"""Dialect -> the file beside this one with `actual(vector, workdir) -> dict`."""

Vector = Mapping[str, Any]


def load_dialect(name: str) -> ModuleType:
    """Import the module that runs a dialect's vectors, under a name that shadows no package."""
    qualified = f"conformance_{DIALECTS[name]}"
    if qualified in sys.modules:
        return sys.modules[qualified]
    spec = importlib.util.spec_from_file_location(qualified, HERE / f"{DIALECTS[name]}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[qualified] = module
    spec.loader.exec_module(module)
    return module


def read_vectors(folder: Path) -> Iterator[Vector]:
    """Yield the vectors of all files, in the order of the file names."""
    for file in sorted(folder.glob("*.json")):
        yield from json.loads(file.read_text(encoding="utf-8"))


def run_vector(actual: Callable[[Vector, Path], Any], vector: Vector) -> Any:
    """Run one vector in a fresh folder; a crash is returned, never raised."""
    given = {key: value for key, value in vector.items() if not key.startswith("expected")}
    with tempfile.TemporaryDirectory(prefix="lve-vector-") as folder:
        try:
            return actual(given, Path(folder))
        except Exception as error:
            traceback.print_exc()
            return {"crash": f"{type(error).__name__}: {error}"}


def main(arguments: list[str]) -> int:
    """Run the vectors of a folder."""
    if len(arguments) != 2 or arguments[0] not in DIALECTS or not Path(arguments[1]).is_dir():
        print(f"usage: actual.py {{{','.join(DIALECTS)}}} DIR", file=sys.stderr)
        return 2
    # Not this folder (its files have the names of packages), but the checkout.
    sys.path[0] = str(HERE.parents[1])
    folder = Path(arguments[1])
    actual = load_dialect(arguments[0]).actual
    for vector in read_vectors(folder):
        with contextlib.redirect_stdout(sys.stderr):
            result = run_vector(actual, vector)
        print(json.dumps({"id": vector["id"], "actual": result}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
