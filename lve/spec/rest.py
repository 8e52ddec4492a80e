"""What is left of an invalid test without the values that are wrong, so that all problems of the
other ones can be reported together with theirs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lve.check_names import CHECK_KEYS
from lve.documents.places import JsonPath
from lve.documents.read import Document
from lve.documents.schema import complaints_about
from lve.spec.load import PROMPT_SOURCES, build_spec, read_test
from lve.spec.model import Spec
from lve.spec.rules import check_rules
from lve.spec.suites import with_suites
from lve.workspace import Caps, find_root

PROMPT_KEYS = frozenset(
    (
        *PROMPT_SOURCES,
        "prompt_parameters",
        "dataset",
        "matrix",
        "dialect",
        "reader_cfg",
        "output_schema",
        "tools",
        "mocks",
        "max_tool_turns",
        "tool_servers",
        "simulated_user",
    )
)
"""Keys that decide what is sent, and which names it has."""
_CHECKER: Mapping[str, Any] = {"checker_name": "LambdaChecker", "func": "lambda r: True"}
"""Stands where a checker is wrong, so that the others keep their numbers."""
_CHECK: Mapping[str, Any] = {_CHECKER["checker_name"]: {"func": _CHECKER["func"]}}
"""The same in the short form."""
_TOP_KEY = re.compile(r"\$\.(\w+)")


@dataclass(frozen=True, slots=True)
class Rest:
    """An invalid test without the values that are wrong."""

    spec: Spec
    has_prompts: bool
    """Whether what it sends is as in the document."""


def rest_of(path: Path, root: Path | None) -> Rest | None:
    """Return what is left of an invalid test; None if it isn't an object.

    Args:
        path: as for `load_spec`.
        root: the workspace root; by default found from `path`.

    Raises:
        SpecError: it can't be read.
    """
    document = read_test(path)
    root = find_root(document.path) if root is None else root
    with_suites(document, root)
    if not isinstance(document.data, dict):
        return None
    wrong = set(_wrong_paths(document))
    keys = {path[0] for path in wrong if path}
    data = {key: value for key, value in document.data.items() if key not in keys}
    has_prompts = not keys & PROMPT_KEYS and sum(key in data for key in PROMPT_SOURCES) == 1
    if not has_prompts:
        data = {key: value for key, value in data.items() if key not in PROMPT_KEYS}
    data.setdefault("description", "")
    if keys & {*CHECK_KEYS} or not ({*CHECK_KEYS} & data.keys()):
        for key, stand_in in (("checks", _CHECK), ("checkers", _CHECKER)):
            data.pop(key, None)
            if key in document.data:
                data[key] = _checkers(document.data[key], key, stand_in, wrong)
        if not {"checks", "checkers"} & data.keys():
            data["checkers"] = []
        data.pop("examples", None)
    rest = Document(document.path, data, document.text, None)
    return Rest(build_spec(rest, root), has_prompts)


def _wrong_paths(document: Document) -> Iterator[JsonPath]:
    """Yield the paths of all values that are wrong, and what misspelt keys were meant to be."""
    for complaint in complaints_about(document.data, "test"):
        yield complaint.path
        if complaint.meant is not None:
            yield (*complaint.path[:-1], complaint.meant)
    for problem in check_rules(document, Caps()):
        if found := _TOP_KEY.match(problem.path or ""):
            yield (found[1],)


def _checkers(written: object, key: str, stand_in: object, wrong: set[JsonPath]) -> list[Any]:
    """Return the list of checkers, with stand-ins for those that are wrong."""
    if not isinstance(written, list) or (key,) in wrong:
        return []
    bad = {path[1] for path in wrong if len(path) > 1 and path[0] == key}
    return [stand_in if number in bad else checker for number, checker in enumerate(written)]
