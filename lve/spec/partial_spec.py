"""Builds a `Spec` from the valid parts of an invalid test document.

Later checks (of prompts, checkers and data) can then run on these parts, so that their problems are
reported together with those of the document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lve.data_classes import dataclass
from lve.documents.position_types import JsonPath
from lve.documents.read import Document
from lve.documents.validation.schema import complaints_about
from lve.settings.settings import AppFiles, Caps
from lve.spec.check_names import CHECK_KEYS
from lve.spec.load import PROMPT_SOURCES, build_spec, read_test
from lve.spec.rules import check_rules
from lve.spec.spec import Spec
from lve.spec.suites import with_suites
from lve.workspace import find_root

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
"""Keys that decide which messages are sent, and which parameters there are."""
_CHECKER: Mapping[str, Any] = {"checker_name": "LambdaChecker", "func": "lambda r: True"}
"""Replaces an invalid checker, so that the others keep their numbers."""
_CHECK: Mapping[str, Any] = {_CHECKER["checker_name"]: {"func": _CHECKER["func"]}}
"""The same in the short form."""
_TOP_KEY = re.compile(r"\$\.(\w+)")


@dataclass(frozen=True, slots=True)
class PartialSpec:
    """The valid parts of an invalid test."""

    spec: Spec
    has_prompts: bool
    """Whether the keys for its prompts are valid; otherwise they were removed."""


def load_partial_spec(
    path: Path, root: Path | None, files: AppFiles | None = None
) -> PartialSpec | None:
    """Load the valid parts of an invalid test; None if the document isn't an object.

    Args:
        path: as for `load_spec`.
        root: the workspace root; found from `path` by default.
        files: the files of the application that it may use.

    Raises:
        SpecError: the document can't be parsed.
    """
    document = read_test(path)
    root = find_root(document.path) if root is None else root
    caps = Caps(files=files)
    with_suites(document, root, caps)
    if not isinstance(document.data, dict):
        return None
    wrong = set(_wrong_paths(document, caps))
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
    partial = Document(document.path, data, document.text, None)
    return PartialSpec(build_spec(partial, root, files=files), has_prompts)


def _wrong_paths(document: Document, caps: Caps) -> Iterator[JsonPath]:
    """Yield the paths of all invalid values, and of the keys that misspelt keys stand for."""
    for complaint in complaints_about(document.data, "test").complaints:
        yield complaint.path
        if complaint.correction is not None:
            yield (*complaint.path[:-1], complaint.correction)
    for problem in check_rules(document, caps):
        if top_key := _TOP_KEY.match(problem.path or ""):
            yield (top_key[1],)


def _checkers(written: object, key: str, stand_in: object, wrong: set[JsonPath]) -> list[object]:
    """Return a list of checkers in which `stand_in` replaces the invalid ones."""
    if not isinstance(written, list) or (key,) in wrong:
        return []
    bad = {path[1] for path in wrong if len(path) > 1 and path[0] == key}
    return [stand_in if number in bad else checker for number, checker in enumerate(written)]
