"""Loads rows with OpenCompass' or AISBench's own classes, and writes them as lines. Runs in the
environment of the two that has them.

This file is run by its path, in a sandbox: it imports nothing of lve. The first argument is the
number of the pipe that gets the lines. Each begins with the nonce of the request.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

LATER = ("type", "infer_cfg", "eval_cfg")
"""Keys of a configuration that its class doesn't get."""
ADDED = ("subdivision", "idx")
"""Columns that upstream adds to all rows."""
CACHES = ("COMPASS_DATA_CACHE", "AIS_BENCH_DATASETS_CACHE")
"""Variables that name the folder of the data."""
Foreign = Any
"""An object of the package, which lve's types don't know."""
Row = dict[str, Foreign]


def main() -> None:
    """Answer the request on stdin."""
    request = json.load(sys.stdin)
    os.environ |= dict.fromkeys(CACHES, request["home"])
    os.chdir(request["home"])
    host = runpy.run_path(str(Path(__file__).with_name("host.py")))
    package = request["package"]
    sys.meta_path.append(host["Absentees"](package))
    signal.signal(signal.SIGALRM, _out_of_time)
    with os.fdopen(int(sys.argv[1]), "wb") as pipe:

        def write(line: Mapping[str, object]) -> None:
            text = json.dumps(line, default=str)
            pipe.write(f"{request['nonce']} {text}\n".encode())

        for number, config in enumerate(request["data_sets"]):
            signal.alarm(request["each_s"])
            try:
                host["AnyName"].is_loading = True
                kind = host["object_of"](config["type"], package)
                written = _written(host["object_of"], config)
                host["AnyName"].is_loading = False
                for split, row in _rows(kind, config, request["limit"]):
                    line = {"kind": "row", "of": number, "split": split, "row": written(row)}
                    write(line)
                write({"kind": "whole", "of": number})
            except Exception as error:
                why = f"{type(error).__name__}: {error}"[:300]
                write({"kind": "failed", "of": number, "why": why})
            finally:
                signal.alarm(0)


def _written(object_of: Foreign, config: Mapping[str, Foreign]) -> Callable[[Row], Row]:
    """Return what adds the messages to a row that AISBench's inferencer makes of its functions."""
    inferencer = config["infer_cfg"].get("inferencer") or {}
    if not str(inferencer.get("type")).endswith(".BFCLV3FunctionCallInferencer"):
        return lambda row: row
    module = "ais_bench.benchmark.openicl.icl_inferencer.icl_bfcl_v3_inferencer"
    writer = object_of(f"{module}.BFCLV3PromptInferencer", "ais_bench")()

    def with_prompt(row: Row) -> Row:
        data = {"prompt": row["question"], "function": row["function"], "data_name": row["id"]}
        writer.pre_query_processing(data)
        return {**row, "prompt": data["prompt"][0]}

    return with_prompt


def _out_of_time(number: int, frame: object) -> None:
    raise TimeoutError("it takes too long")


def _rows(
    kind: Foreign, config: Mapping[str, Foreign], limit: int | None
) -> Iterator[tuple[str, Row]]:
    """Yield the rows of a data set, each with its split: those to ask, then the examples."""
    data_set = kind(**{name: value for name, value in config.items() if name not in LATER})
    for split in ("test", "train"):
        rows = data_set.reader.dataset[split]
        for row in islice(rows, limit if split == "test" else None):
            yield split, {name: value for name, value in row.items() if name not in ADDED}


if __name__ == "__main__":
    main()
