"""Records the answers of a small model to the tests of repository/, as a baseline.

    python benchmarks/repository_baseline.py [--from PACKAGE] [--tokens 64] GGUF [TEST ...]

Serves the file with llama.cpp (the tests' server) and runs `lve record` on a copy of each test
without its recorded answers. The answers go to `baselines/` in the test's folder, where no run
takes them for rows; docs/generate_repository.py makes its table from them. Tests that need an
image, a judge or code are left out, and so are rows that the model's window is too small for.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from pipeline.llama_server import llama_server  # noqa: E402

from lve.spec.discover import discover  # noqa: E402

BASELINES = "baselines"
INSTANCES = "instances"


def record(document: Path, model: str, url: str, tokens: int) -> Iterator[dict[str, Any]]:
    """Yield the recorded answers of a model to a test; none if it can't be asked."""
    folder = document.parent
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch) / folder.relative_to(ROOT)
        shutil.copytree(folder, place, ignore=_nested(folder))
        rows = _args_alone(folder / INSTANCES) if _needs_rows(document) else ""
        if rows:
            (place / INSTANCES).mkdir()
            (place / INSTANCES / "rows.jsonl").write_text(rows, encoding="utf-8")
        limits = ("--model-arg", f"max_tokens={tokens}", "--timeout", "120", "-j", "1")
        command = (sys.executable, "-m", "lve", "record", str(place), "--model", model)
        options = ("--base-url", url, *limits, "--to", "answers", "--yes", "--without-prompt")
        subprocess.run((*command, *options), cwd=scratch, check=False, stdout=subprocess.DEVNULL)
        answers = place / INSTANCES / "answers.jsonl"
        for line in answers.read_text(encoding="utf-8").splitlines() if answers.exists() else ():
            yield json.loads(line)


def _nested(folder: Path) -> Callable[[str, list[str]], list[str]]:
    """Return what `copytree` leaves out: recorded answers, and tests in folders below."""

    def ignored(place: str, names: list[str]) -> list[str]:
        here = Path(place)
        tests = (name for name in names if any((here / name).rglob("test.*")))
        return [INSTANCES, BASELINES, *tests] if here == folder else []

    return ignored


def _needs_rows(document: Path) -> bool:
    """Return whether a test's rows are those of its recorded answers alone."""
    text = document.read_text(encoding="utf-8")
    return not any(f"{key}:" in text or f'"{key}":' in text for key in ("dataset", "matrix"))


def _args_alone(instances: Path) -> str:
    texts = [file.read_text(encoding="utf-8") for file in sorted(instances.glob("*.jsonl"))]
    lines = [line for text in texts for line in text.splitlines()]
    rows = [row for row in map(json.loads, lines) if "variant" not in row]  # no honest ones
    args = dict.fromkeys(json.dumps({"args": row["args"]}) for row in rows)
    return "".join(f"{line}\n" for line in args)


def main() -> None:
    """Record the tests that the command line names, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gguf", type=Path)
    parser.add_argument("tests", nargs="*", type=Path, default=[ROOT / "repository"])
    parser.add_argument("--from", dest="package", help="where the file is from")
    parser.add_argument("--tokens", type=int, default=64, help="the most tokens of an answer")
    options = parser.parse_args()
    weights = {"weights": hashlib.sha256(options.gguf.read_bytes()).hexdigest()}
    origin = weights | ({"from": options.package} if options.package else {})
    name = options.gguf.stem.lower().replace(".", "-")
    with llama_server(options.gguf, context=4096) as url:
        for document in discover([test.resolve() for test in options.tests], report=print):
            answers = [*record(document, f"llamacpp/{name}", url, options.tokens)]
            for answer in answers:
                answer["run_info"] = {**answer["run_info"], **origin}
            lines = "".join(f"{json.dumps(answer, ensure_ascii=False)}\n" for answer in answers)
            print(document.parent.relative_to(ROOT), len(answers), flush=True)
            if answers:
                (document.parent / BASELINES).mkdir(exist_ok=True)
                (document.parent / BASELINES / f"{name}.jsonl").write_text(lines, encoding="utf-8")


if __name__ == "__main__":
    main()
