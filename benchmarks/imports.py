"""How much of another tool's configurations is imported?

    python benchmarks/imports.py promptfoo FOLDER [--loaders]

Reads each configuration below a folder (a checkout of the tool's examples) as `lve import` does,
and prints how many are imported wholly, with losses, not at all or can't be read; then in how many
files each reason stands, the commonest first. Nothing is run or written; with --loaders,
promptfoo itself runs in the sandbox (`lve import --setup promptfoo` installs it).
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from lve.errors import LveError
from lve.extensions.importing.boxes.box import BoxOptions
from lve.extensions.importing.verb import DEFAULTS, import_tests

CONFIGS = {"promptfoo": re.compile(r"^(?:prompts|providers|targets|tests):", re.MULTILINE)}
"""Tool -> what a YAML file has in it that is one of its configurations."""
PROVIDER = "lve has no model for"
SHOWN = 25
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|(?<=model for )\S+")


def main() -> None:
    """Import, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool", choices=CONFIGS)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--loaders", action="store_true")
    options = parser.parse_args()
    box = BoxOptions(loads=options.loaders, timeout_s=300)
    ends: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for file in configurations(options.folder, CONFIGS[options.tool]):
        end, whys = outcome(options.tool, file, box)
        ends[end] += 1
        reasons.update({_QUOTED.sub("...", why) for why in whys})
    print(f"{ends.total()} configurations of {options.tool}")
    for end, number in ends.most_common():
        print(f"{number:5} {end}")
    print("files with a reason:")
    for why, number in reasons.most_common(SHOWN):
        print(f"{number:5} {why[:150]}")


def configurations(folder: Path, sign: re.Pattern[str]) -> Iterator[Path]:
    """Yield the configurations below a folder."""
    for file in sorted(folder.rglob("*.y*ml")):
        if file.is_file() and sign.search(file.read_text("utf-8", "replace")):
            yield file


def outcome(tool: str, file: Path, box: BoxOptions = DEFAULTS) -> tuple[str, list[str]]:
    """Return how an import ends, and why something is left out."""
    try:
        imported = import_tests(tool, file, box)
    except LveError as error:
        return "can't be read", [str(error).rpartition(": ")[2]]
    whys = [text.partition("left out")[2].lstrip(": ") for text in imported.left_out]
    if not imported.tests:
        return "not at all", whys
    if not whys:
        return "wholly", whys
    is_provider = all(PROVIDER in why for why in whys)
    return ("wholly but for providers" if is_provider else "with losses"), whys


if __name__ == "__main__":
    main()
