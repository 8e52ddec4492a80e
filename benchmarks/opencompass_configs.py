"""How many data-set configurations of OpenCompass or AISBench `lve import opencompass` imports.

    git clone --depth 1 https://github.com/open-compass/opencompass
    .venv/bin/python benchmarks/opencompass_configs.py opencompass/opencompass/configs/datasets

Each file is imported by itself. Each different test gets three rows of our making in its columns,
and its prompts are rendered: a test whose prompts can't be is counted as invalid.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from lve.errors import LveError
from lve.extensions.importing.opencompass.configuration import Configuration
from lve.extensions.importing.opencompass.conversion import (
    NoCounterpartError,
    check_of,
    document_of,
)
from lve.extensions.importing.opencompass.data_sets import DataSet, data_sets_of
from lve.extensions.importing.opencompass.package import Package, open_package
from lve.extensions.importing.opencompass.reading_cost import NotDataError
from lve.extensions.importing.opencompass.rows import columns_of
from lve.json_types import JsonObject
from lve.prompts.plan import build_plan
from lve.spec.load import load_spec

SHOWN = 40
"""The most reasons that are printed."""


class Measurement:
    """What is known of the configurations of a folder."""

    def __init__(self, package: Package) -> None:
        self.package = package
        self.files = Counter[str]()
        self.reasons = Counter[str]()
        self.rendered: dict[str, str | None] = {}

    def add(self, file: Path) -> None:
        """Import a file, and count how that goes."""
        try:
            configuration = Configuration(self.package, file)
            data_sets = list(data_sets_of(configuration, configuration.names()))
        except NotDataError as error:
            self.files["unreadable"] += 1
            self.reasons[f"unreadable: {str(error).replace(str(self.package.folder), '')}"] += 1
            return
        if not data_sets:
            self.files["without a data set"] += 1
            return
        self.files["with data sets"] += 1
        kinds = {kind for data_set in data_sets for kind in self._problems(data_set)}
        self.files["imported wholly"] += not any(kind[0] == "left out" for kind in kinds)
        self.files["imported wholly, and all judged"] += not kinds
        self.files["of these, some by their own class"] += not kinds and any(
            '"scorer"' in json.dumps(check_of(data_set)) for data_set in data_sets
        )
        self.reasons.update(f"{kind}: {why}" for kind, why in kinds)

    def _problems(self, data_set: DataSet) -> set[tuple[str, str]]:
        problems = set()
        try:
            document = document_of(data_set)
            if why := self._refused(data_set, document):
                problems.add(("left out", why))
        except NoCounterpartError as error:
            problems.add(("left out", str(error)))
        try:
            check_of(data_set)
        except NoCounterpartError as error:
            problems.add(("nothing judges it", str(error)))
        return problems

    def _refused(self, data_set: DataSet, document: JsonObject) -> str | None:
        """Return why lve refuses a test, whose documents are loaded once each."""
        parts = {key: document[key] for key in ("dataset", "reader_cfg", "infer_cfg")}
        key = json.dumps(parts, sort_keys=True)
        if key not in self.rendered:
            with tempfile.TemporaryDirectory() as folder:
                self.rendered[key] = _refusal(data_set, document, Path(folder))
        return self.rendered[key]


def _refusal(data_set: DataSet, document: JsonObject, folder: Path) -> str | None:
    """Return why lve can't load a test with rows in its columns and those of its templates."""
    templates = json.dumps(document["infer_cfg"])
    columns = {*re.findall(r"\{(\w+)\}", templates), *columns_of(data_set)}
    row = {"choices": ["x", "y"], "cont": "x", **dict.fromkeys(columns, "x")}
    rows = f"{json.dumps(row)}\n" * 40
    splits = document["dataset"]
    for name in splits.values() if isinstance(splits, dict) else ["rows.jsonl"]:
        (folder / str(name)).write_text(rows, encoding="utf-8")
    text = json.dumps({**document, "model": "m"})
    (folder / "test.json").write_text(text, encoding="utf-8")
    try:
        build_plan(load_spec(folder, folder))
    except LveError as error:
        return str(error).split("test.json", 1)[-1][:120]
    return None


def main(source: Path) -> None:
    """Print the figures of a folder."""
    began = time.perf_counter()
    measurement = Measurement(open_package(source))
    files = sorted(source.resolve().rglob("*.py"))
    for file in files:
        measurement.add(file)
    print(f"{len(files):,} files in {time.perf_counter() - began:.0f} s")
    for name, count in measurement.files.items():
        print(f"{count:6,} {name}")
    for reason, count in sorted(measurement.reasons.most_common(SHOWN)):
        print(f"{count:6,} {reason}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
