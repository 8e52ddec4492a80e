"""Runs a scorer: a class or function with OpenCompass' interface. It runs in the scorer's Python.

This file is run by its path, in a sandbox: it imports nothing of lve. Requests are lines of JSON on
stdin; answers go to the pipe whose number is the first argument. The scorer gets what OpenCompass
gives it: predictions, references and rows (`opencompass/tasks/openicl_eval.py`).
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import json
import math
import os
import runpy
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

MAX_SCORES = 100
HOMES = {"ais_bench": "ais_bench.benchmark"}
"""Where a package has its registries, if not at its top."""
PARTS = {"ais_bench": ("bfcl_eval",)}
"""Packages that it loads, which import models' packages, too."""
RIGHT = ("correct", "is_correct", "cascade_correct")
"""What details of a row call whether it is right."""
Foreign = Any
"""An object of the scorer's package, which lve's types don't know."""
Row = tuple[object, object, Mapping[str, object]]
"""Prediction, reference, and the columns of the row."""


class AnyName(type):
    """Stands for any class or function of a package that isn't there, while modules are loaded.
    What scores with one fails."""

    is_loading = True

    def __getattr__(cls, name: str) -> AnyName:
        if name.startswith("__"):
            raise AttributeError(name)
        return AnyName(name, (), {})

    def __call__(cls, *values: Foreign, **options: Foreign) -> Foreign:
        is_decorator = len(values) == 1 and callable(values[0]) and not options
        if not AnyName.is_loading:
            raise ImportError(f"{cls.__name__} is of a package that isn't installed")
        return values[0] if is_decorator else cls

    def __bool__(cls) -> bool:
        if not AnyName.is_loading:
            raise ImportError(f"{cls.__name__} is of a package that isn't installed")
        return False

    def __or__(cls, other: object) -> AnyName:
        return cls

    __ror__ = __or__


class _Absent(ModuleType):
    """A module that isn't installed."""

    __version__ = "0"

    def __getattr__(self, name: str) -> AnyName:
        if name.startswith("__"):
            raise AttributeError(name)
        return AnyName(name, (), {})


class Absentees(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds modules that are not installed, after all others: a package that imports those of all
    its models can be loaded without them."""

    def __init__(self, package: str) -> None:
        self._packages = (package, *PARTS.get(package, ()))

    def find_spec(
        self, name: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return a module for an import that the package itself makes."""
        frame = inspect.currentframe()
        while frame is not None and frame.f_globals.get("__name__", "").startswith(
            ("importlib", "_frozen_importlib", __name__)
        ):
            frame = frame.f_back
        asks = "" if frame is None else str(frame.f_globals.get("__name__")).partition(".")[0]
        parent = sys.modules.get(name.rpartition(".")[0])
        is_own = asks in self._packages and name.partition(".")[0] not in self._packages
        if AnyName.is_loading and (is_own or isinstance(parent, _Absent)):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """Return the module."""
        return _Absent(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: it has no code."""


def object_of(path: str, package: str) -> Foreign:
    """Return a class or function by its path, `package.module.Name`, or as the package's registries
    name it, `Name` or `package.Name`."""
    module, _, name = path.rpartition(".")
    if module in ("", package):
        return _registered(name, package)
    try:
        return getattr(importlib.import_module(module), name)
    except ModuleNotFoundError:
        return getattr(object_of(module, package), name)


def _registered(name: str, package: str) -> Foreign:
    home = HOMES.get(package, package)
    for module in (f"{home}.datasets", f"{home}.openicl.icl_evaluator"):
        importlib.import_module(module)
    registries = vars(importlib.import_module(f"{home}.registry"))
    for registry in registries.values():
        classes = getattr(registry, "module_dict", None)
        if isinstance(classes, Mapping) and name in classes:
            return classes[name]
    raise ImportError(f"{package} has no {name}")


def _of_file(path: str) -> Foreign:
    """Return a class or function of a file: `scorer.py:Name`."""
    file, _, name = path.partition(":")
    spec = importlib.util.spec_from_file_location("scorer", os.path.abspath(file))  # noqa: PTH100
    assert spec is not None
    assert spec.loader is not None
    sys.modules["scorer"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def _step(config: Foreign, package: str) -> Callable[[Foreign], Foreign]:
    """Return a function for answers: from its path, or an object with `type` and options."""
    options = dict(config) if isinstance(config, Mapping) else {"type": config}
    function = object_of(str(options.pop("type")), package)
    return lambda value: function(value, **options)


class Scorer:
    """A scorer with its options, and the functions for what it compares."""

    def __init__(self, config: Mapping[str, Foreign]) -> None:
        path, options = str(config["scorer"]), config.get("options") or {}
        self._is_upstreams = ":" not in path
        package = path.partition(".")[0]
        if self._is_upstreams:
            sys.meta_path.append(Absentees(package))
            kind, options = object_of(path, package), _as_config(options)
        else:
            kind = _of_file(path)
        if self._is_upstreams or inspect.isclass(kind):  # some of upstream's are made by functions
            self._scorer = kind(**options)
            self._score = self._scorer.score
            with contextlib.suppress(AttributeError):
                self._scorer._out_dir = tempfile.mkdtemp()
        else:
            self._scorer = None
            self._score = lambda **values: kind(**values, **options)
        takes = kind if self._scorer is None else self._score
        self._takes = frozenset(inspect.signature(takes).parameters)
        self._prediction = [_step(each, package) for each in config["pred_postprocessor"]]
        self._reference = [_step(each, package) for each in config["dataset_postprocessor"]]
        AnyName.is_loading = False

    def score(self, rows: Sequence[Row]) -> Mapping[str, Foreign]:
        """Return what the scorer says of some rows."""
        predictions = [_through(self._prediction, row[0]) for row in rows]
        references = [_through(self._reference, row[1]) for row in rows]
        test_set: Foreign = [dict(row[2]) for row in rows]
        if self._is_upstreams:
            test_set = _data_set(
                [{"subdivision": "rows", "idx": n, **row} for n, row in enumerate(test_set)]
            )
        every = {
            "predictions": predictions,
            "references": references,
            "test_set": test_set,
            "origin_prompt": [None] * len(rows),
        }
        values = {name: value for name, value in every.items() if name in self._takes}
        if hasattr(self._scorer, "evaluate"):
            result = self._scorer.evaluate(1, 1, test_set, **values)
        else:
            result = self._score(**values)
        return result if isinstance(result, Mapping) else {"score": result}


def _through(steps: Sequence[Callable[[Foreign], Foreign]], value: Foreign) -> Foreign:
    for step in steps:
        value = step(value)
    return value


def _as_config(options: Mapping[str, Foreign]) -> Mapping[str, Foreign]:
    """Return options as OpenCompass' configurations are, whose keys are also attributes."""
    return dict(importlib.import_module("mmengine.config").ConfigDict(options))


def _data_set(rows: list[dict[str, Foreign]]) -> Foreign:
    """Return rows as a data set of Hugging Face's, if that is installed and can have them."""
    try:
        from datasets import Dataset

        return Dataset.from_list(rows)
    except Exception:  # columns of mixed types, say
        return rows


def answer(result: Mapping[str, Foreign]) -> dict[str, object]:
    """Return `{scores, passed, error}` of a scorer's result.

    A score is None if it is no finite number. `passed` is None unless the details of a single row
    say whether it is right.
    """
    if isinstance(result.get("error"), str):
        return {"error": result["error"]}
    scores: dict[str, float | None] = {}
    for name, value in result.items():
        with contextlib.suppress(TypeError):  # of lists and objects
            if len(scores) < MAX_SCORES:
                scores[str(name)] = _finite(value)
    return {"scores": scores, "passed": _passed(result.get("details"))}


def _finite(value: Foreign) -> float | None:
    if value is None or isinstance(value, str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _passed(details: Foreign) -> bool | None:
    if isinstance(details, Mapping):
        details = [each for each in details.values() if isinstance(each, Mapping)]
    if not isinstance(details, Sequence) or len(details) != 1:
        return None
    for name in RIGHT if isinstance(details[0], Mapping) else ():
        value = details[0].get(name)
        value = value[0] if isinstance(value, list) and len(value) == 1 else value
        with contextlib.suppress(TypeError, ValueError):
            if not isinstance(value, str) and float(value) in (0, 1):
                return bool(value)
    return None


def _rows(file: str, repeat: int) -> Iterator[Row]:
    with open(file, encoding="utf-8") as lines:  # noqa: PTH123
        for line in lines:
            of, *row = json.loads(line)
            if of == repeat:
                yield row[0], row[1], row[2]


def _said(scorer: Scorer | None, request: Mapping[str, Foreign]) -> dict[str, object]:
    """Return the answer to a request: of a row, or of a repeat of all rows in a file."""
    assert scorer is not None
    if "file" in request:
        return answer(scorer.score(list(_rows(request["file"], request["repeat"]))))
    return answer(scorer.score([tuple(request["row"])]))


def main() -> None:
    """Answer requests; the first one has the scorer's configuration."""
    runpy.run_path(str(Path(__file__).with_name("processes.py")))["install"]()
    scorer: Scorer | None = None
    with os.fdopen(int(sys.argv[1]), "wb") as pipe:
        for line in sys.stdin.buffer:
            request = json.loads(line)
            try:
                if "scorer" in request:
                    scorer = Scorer(request)
                    said: dict[str, object] = {}
                else:
                    said = _said(scorer, request)
            except BaseException as error:
                traceback.print_exc()
                said = {"error": f"{type(error).__name__}: {error}"[:1000]}
            pipe.write(json.dumps(said).encode() + b"\n")
            pipe.flush()


if __name__ == "__main__":
    main()
