"""What the sandbox costs: starting a custom checker and judging with it, in it and without it.

    python benchmarks/sandbox.py [--rounds 30]

Each round starts a checker both ways, in turn, and judges 500 answers, so that a machine that slows
down slows both.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from hashlib import sha256
from pathlib import Path

from lve.checkers.contract import CheckContext
from lve.checkers.resolve import resolve
from lve.messages import Message, Role, Transcript
from lve.settings.trusted_file import TrustedFile
from lve.spec.load import load_spec
from lve.spec.spec import Spec

CODE = "class C:\n    def check(self, context):\n        return True\n"
DOCUMENT = (
    '{"description": "x", "model": "dummy/dummy", "prompt": [{"content": "x"}],'
    ' "checker_args": {"checker_name": "C"}}'
)
ANSWERS = 500


def write_test(folder: Path) -> Spec:
    """Write a test with a checker of its own and return it."""
    (folder / "checker").mkdir()
    (folder / "checker" / "checker.py").write_text(CODE, encoding="utf-8")
    (folder / "test.json").write_text(DOCUMENT, encoding="utf-8")
    return load_spec(folder, folder)


def measured(spec: Spec, *, sandbox: bool) -> tuple[float, float]:
    """Return the milliseconds of starting a checker, and the microseconds of a judgement."""
    digest = sha256(CODE.encode()).hexdigest()
    entry = TrustedFile("checker/checker.py", digest, sandbox=sandbox)
    context = CheckContext((Transcript((Message("x", Role.assistant),), filled=(0,)),))
    began = time.perf_counter()
    judge = resolve(spec, trust=[entry])
    started = time.perf_counter()
    for _ in range(ANSWERS):
        judge.judge(context)
    ended = time.perf_counter()
    judge.stop()
    return (started - began) * 1e3, (ended - started) / ANSWERS * 1e6


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    rounds = parser.parse_args().rounds
    found: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    with tempfile.TemporaryDirectory() as folder:
        spec = write_test(Path(folder))
        for number in range(rounds + 1):
            for sandbox, figures in found.items():
                figures.append(measured(spec, sandbox=sandbox))
                if number == 0:  # writes bytecode, fills caches
                    figures.clear()
    for sandbox, figures in found.items():
        starts, judgements = zip(*figures, strict=True)
        print(
            f"{'in the sandbox' if sandbox else 'without it':15}"
            f" start {statistics.median(starts):5.1f} ms (least {min(starts):5.1f}),"
            f" judgement {statistics.median(judgements):4.0f} us (least {min(judgements):4.0f})"
        )


if __name__ == "__main__":
    main()
