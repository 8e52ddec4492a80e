"""Dumps lm-eval's own tasks over rows of our making, in the harness' environment.

Its data sets can't be downloaded everywhere. So `datasets.load_dataset` returns rows in the columns
that a task reads. Which these are, its templates say, and its errors: a missing column is added;
where a value doesn't fit, the next type is tried, the latest column first.
`benchmarks/lm_eval/sampled_tasks.py` starts it.
"""

from __future__ import annotations

import io
import itertools
import json
import random
import re
import runpy
import signal
import sys
from collections.abc import Callable, Generator, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import datasets
import jinja2.meta

ROWS = 6
MAX_TRIES = 3000
TASK_S = 40
_MISSING = re.compile(
    r"^'(\w+)' is undefined|^'(?:dict|str|list|int) object' has no attribute '([^']+)'|^'([^']+)'$"
    r"|^Column ([\w. -]+) not in|^Column name \['?([^']+?)'?\]|^Column to remove \['([^']+)'"
)
Kind = Callable[[str, int], object]
KINDS: dict[str, Kind] = {
    "text": lambda name, row: f"The {name} of row {row} is a text. It has words",
    "texts": lambda name, row: [f"{name} {item} in {row}" for item in ("a", "b", "c", "d")],
    "number": lambda name, row: row % 2,
    "one": lambda name, row: 1,
    "letter": lambda name, row: "A",
    "digit": lambda name, row: "1",
    "truth": lambda name, row: bool(row % 2),
    "share": lambda name, row: 0.5,
    "json": lambda name, row: json.dumps([f"{name} {item}" for item in "abcd"]),
    "numbers": lambda name, row: [1, 0, 0, 0],
    "yes": lambda name, row: "yes",
    "word": lambda name, row: "word",
    "object": lambda name, row: {"text": f"{name} {row}"},
    "listed": lambda name, row: repr([f"{name} {item}" for item in "abcd"]),
    "languages": lambda name, row: {code: f"{code} {row}" for code in ("en", "fr", "hau", "bam")},
    "letters": lambda name, row: ["A", "B", "C", "D"],
}
LIKELY = (
    (re.compile(r"^translation$"), "languages"),
    (re.compile(r"choice|option|ending|candidate|answers|distractor|targets"), "texts"),
    (
        re.compile(r"label|gold|idx|index|target|answer|correct|^id$|num"),
        "number",
    ),
)


class NoChoiceError(ValueError):
    """None of the choices of a row is right."""

    def __init__(self, right: object, choices: list[str]) -> None:
        super().__init__(f"no choice is {right!r}")
        self.right = right
        self.choices = choices


class Schema:
    """The columns that a task reads, as far as they are known: name -> kind or nested columns."""

    def __init__(self, names: Iterable[str]) -> None:
        self.columns: dict[str, object] = {name: _likely(name) for name in names}

    def add(self, name: str, *, is_nested: bool = False) -> None:
        """Add a missing column, or, if it is there, a key of the latest one."""
        if (name in self.columns or is_nested) and self.columns:
            lists = [key for key, kind in self.columns.items() if kind == "texts"]
            objects = [key for key, kind in self.columns.items() if isinstance(kind, dict)]
            last = [*self.columns, *lists, *objects][-1]
            inner = self.columns[last]
            below = inner if isinstance(inner, dict) else {}
            below[name] = _likely(name)
            self.columns[last] = below
        else:
            self.columns[name] = _likely(name)

    def combinations(self) -> Generator[None]:
        """Change the kinds, that of the latest column first."""
        names = list(self.columns)
        first = {n: self.columns[n] for n in names}
        flat = [n for n in reversed(names) if not isinstance(first[n], dict)]
        flat = sorted(flat, key=lambda n: first[n] != "texts")[:6]
        try:
            for count in (1, 2):
                for chosen in itertools.combinations(flat, count):
                    for kinds in itertools.product(KINDS, repeat=count):
                        self.columns = {**first, **dict(zip(chosen, kinds, strict=True))}
                        yield
        finally:
            self.columns = first

    def rows(self) -> list[dict[str, object]]:
        """Return the rows."""
        return [_values(self.columns or {"none": "number"}, row) for row in range(ROWS)]


def _likely(name: str) -> str:
    return next((kind for pattern, kind in LIKELY if pattern.search(name.lower())), "text")


def _values(columns: dict[str, Any], row: int) -> dict[str, object]:
    return {
        name: _values(kind, row) if isinstance(kind, dict) else KINDS[kind](name, row)
        for name, kind in columns.items()
    }


class Splits(dict[str, Any]):
    """A data set that has every split."""

    def __init__(self, rows: list[dict[str, object]]) -> None:
        super().__init__()
        self._rows = rows

    def __missing__(self, split: str) -> Any:
        self[split] = datasets.Dataset.from_list(self._rows)
        return self[split]

    def map(self, function: Any, **options: Any) -> Splits:
        for split in ("train", "validation", "test"):
            self[split] = self[split].map(function, **options)
        return self


def _keep_rows() -> None:
    """Have a filter that leaves nothing, such as for one subject of many, leave everything."""
    narrow = datasets.Dataset.filter

    def lenient(rows: Any, *args: Any, **options: Any) -> Any:
        kept = narrow(rows, *args, **options)
        return kept if len(kept) else rows

    datasets.Dataset.filter = lenient


def _missing(error: BaseException) -> str | None:
    if isinstance(error, NoChoiceError):  # the name of a column that isn't there is a text
        return str(error.right) if str(error.right).isidentifier() else None
    if (
        not isinstance(error, KeyError | ValueError | AttributeError)
        and "Undefined" not in type(error).__name__
    ):
        return None
    match = _MISSING.search(str(error))
    name = next((name for name in match.groups() if name), None) if match else None
    return None if name is None or hasattr(str, name) or hasattr(list, name) else name


def columns_of(file: str) -> list[str]:
    """Return the names that the templates of a task read."""
    from lm_eval.tasks._yaml_loader import load_yaml

    config = load_yaml(file, resolve_func=False, recursive=True)
    names: dict[str, None] = {}
    for key in ("doc_to_text", "doc_to_target", "doc_to_choice"):
        template = config.get(key)
        if isinstance(template, str) and "{" in template:
            tree = jinja2.Environment().parse(template)
            names.update(dict.fromkeys(sorted(jinja2.meta.find_undeclared_variables(tree))))
        elif isinstance(template, str) and template.isidentifier():
            names[template] = None
    return list(names)


def dump(build: Callable[[], Any], write_task: Callable[..., None], file: str) -> str:
    """Return the lines of a task; raises the last error if no rows fit it."""
    schema = Schema(columns_of(file) if file else [])
    last: Exception = ValueError("no rows fit it")
    KINDS.pop("right", None)
    walk: Generator[None] | None = None
    for _ in range(MAX_TRIES):
        lines = io.StringIO()
        datasets.load_dataset = lambda *_a, **_o: Splits(schema.rows())
        try:
            for shown, task in build().items():
                write_task(shown, file, task, {"limit": 3}, partial(_write, lines))
            return lines.getvalue()
        except Exception as error:
            last = error
            missing = _missing(error)
            if isinstance(error, NoChoiceError) and missing in schema.columns:
                missing = None
            if isinstance(error, NoChoiceError) and "right" not in KINDS:
                KINDS.update({"right": partial(_same, error.choices[0])})
            is_nested = "object' has no" in str(error)
            if missing is not None and walk is None:
                schema.add(missing, is_nested=is_nested)
                continue
            if missing is not None and missing not in schema.columns and not is_nested:
                if walk is not None:
                    walk.close()
                walk = None
                schema.add(missing)
                continue
            walk = walk or schema.combinations()
            if next(walk, "end") == "end":
                break
    raise last


def _same(value: object, name: str, row: int) -> object:
    return value


def _write(lines: io.StringIO, line: Any) -> None:
    if line["kind"] == "row":
        _check(line)
    lines.write(json.dumps(line, default=str) + "\n")


def _check(row: dict[str, Any]) -> None:
    """Raise ValueError where no choice is right: the rows don't fit the task."""
    if "choices" not in row:
        return
    choices, target = row["choices"], row["target"]
    for right in target if isinstance(target, list) else [target]:
        is_place = isinstance(right, int) and 0 <= right < len(choices)
        if not (is_place or right in choices):
            raise NoChoiceError(right, choices)
    if not all(choices) or len(set(choices)) < len(choices):
        raise ValueError("the choices are empty or equal")


def _load(manager: Any, name: str) -> Any:
    return manager.load(name)["tasks"]


def main() -> None:
    """Dump a sample: dump.py, seed, count, output file."""
    program, seed, count, output = sys.argv[1:5]
    parts = runpy.run_path(program)
    parts["_use_named_metrics"]()
    from lm_eval.tasks import TaskManager

    _keep_rows()
    manager = TaskManager()
    names = sorted(manager.all_subtasks)
    sample = random.Random(int(seed)).sample(names, int(count))

    def stop(number: int, frame: object) -> None:
        raise TimeoutError(f"no rows fit it in {TASK_S} s")

    signal.signal(signal.SIGALRM, stop)
    with Path(output).open("w", encoding="utf-8") as file:
        head = {"kind": "tool", "version": parts["version"]("lm_eval"), "tasks": len(names)}
        file.write(json.dumps(head) + "\n")
        for name in sample:
            entry = manager.task_index[name]
            place = str(entry.yaml_path or "")
            signal.alarm(TASK_S)
            try:
                build = partial(_load, manager, name)
                file.write(dump(build, parts["_write_task"], place))
            except (Exception, SystemExit) as error:
                why = " ".join(f"{type(error).__name__}: {error}".split())[:300]
                line = {"kind": "left_out", "task": name, "file": place, "why": why}
                file.write(json.dumps(line) + "\n")
            signal.alarm(0)
            file.flush()
        file.write(json.dumps({"kind": "end", "tasks": len(sample)}) + "\n")


if __name__ == "__main__":
    main()
