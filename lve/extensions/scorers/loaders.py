"""Loads rows with OpenCompass' own classes, and writes them as lines. Runs in its environment.

This file is run by its path, in a sandbox: it imports nothing of lve. The first argument is the
number of the pipe that gets the lines. Each begins with the nonce of the request.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import sys
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

LATER = ("type", "infer_cfg", "eval_cfg")
"""Keys of a configuration that its class doesn't get."""
ADDED = ("subdivision", "idx")
"""Columns that upstream adds to all rows."""
Foreign = Any
"""An object of the package, which lve's types don't know."""


def main() -> None:
    """Answer the request on stdin."""
    request = json.load(sys.stdin)
    os.environ["COMPASS_DATA_CACHE"] = request["home"]
    os.chdir(request["home"])
    host = runpy.run_path(str(Path(__file__).with_name("host.py")))
    sys.meta_path.append(host["Absentees"]("opencompass"))
    signal.signal(signal.SIGALRM, _out_of_time)
    with os.fdopen(int(sys.argv[1]), "wb") as pipe:

        def write(line: Mapping[str, object]) -> None:
            text = json.dumps(line, default=str)
            pipe.write(f"{request['nonce']} {text}\n".encode())

        for number, config in enumerate(request["data_sets"]):
            signal.alarm(request["each_s"])
            try:
                host["AnyName"].is_loading = True
                kind = host["object_of"](config["type"], "opencompass")
                host["AnyName"].is_loading = False
                for split, row in _rows(kind, config, request["limit"]):
                    write({"kind": "row", "of": number, "split": split, "row": row})
                write({"kind": "whole", "of": number})
            except Exception as error:
                why = f"{type(error).__name__}: {error}"[:300]
                write({"kind": "failed", "of": number, "why": why})
            finally:
                signal.alarm(0)


def _out_of_time(number: int, frame: object) -> None:
    raise TimeoutError("it takes too long")


def _rows(
    kind: Foreign, config: Mapping[str, Foreign], limit: int | None
) -> Iterator[tuple[str, dict[str, Foreign]]]:
    """Yield the rows of a data set, each with its split: those to ask, then the examples."""
    data_set = kind(**{name: value for name, value in config.items() if name not in LATER})
    for split in ("test", "train"):
        rows = data_set.reader.dataset[split]
        for row in islice(rows, limit if split == "test" else None):
            yield split, {name: value for name, value in row.items() if name not in ADDED}


if __name__ == "__main__":
    main()
