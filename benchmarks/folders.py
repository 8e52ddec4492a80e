"""How much memory many tests take: `python benchmarks/folders.py [N]` (50,000; minutes).

Writes N folders with a test each, runs them with `lve run` against `dummy/dummy`, which answers at
once, and prints the peak memory of the process, and what one more test takes in it.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from process import Cost, measure

ROOT = Path(__file__).resolve().parents[1]
TEST = """description: Asks the dummy number {number} for something.
model: dummy/dummy
prompt: Say the number {number} in words, please.
check:
  contains: e
"""


def write_tests(root: Path, count: int) -> None:
    """Write `count` tests, a hundred in a folder."""
    (root / "lve.yaml").write_text("{}\n", encoding="utf-8")
    for number in range(count):
        folder = root / f"group{number // 100}" / f"test{number}"
        folder.mkdir(parents=True)
        (folder / "test.yaml").write_text(TEST.format(number=number), encoding="utf-8")


def run_of(count: int) -> Cost:
    """Run `count` tests and return what that cost."""
    with tempfile.TemporaryDirectory() as temporary:
        write_tests(Path(temporary), count)
        return measure([sys.executable, "-m", "lve", "run", "."], cwd=Path(temporary))


def main() -> None:
    """Measure a tenth of the tests and all of them."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    few, many = run_of(count // 10), run_of(count)
    each = 1000 * (many.rss_mb - few.rss_mb) / (count - count // 10)
    print(f"{count // 10:,} tests: {few.rss_mb:.0f} MB, {few.cpu_s:.1f} s of CPU")
    print(f"{count:,} tests: {many.rss_mb:.0f} MB, {many.cpu_s:.1f} s of CPU, {each:.2f} KB each")


if __name__ == "__main__":
    main()
