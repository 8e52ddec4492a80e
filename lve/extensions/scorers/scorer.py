"""The check that judges with a scorer: a class or function with OpenCompass' interface."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from lve.checkers.arguments import ArgumentError, build
from lve.checkers.builtin_checker import AnswerCheck, BuiltinChecker, CheckExample, judged
from lve.checkers.by_name import load_builtin
from lve.checkers.contract import CheckContext, Verdict
from lve.data_classes import dataclass
from lve.documents.json_lines import canonical_json
from lve.errors import CheckerError
from lve.escape import quoted
from lve.extensions.scorers.box import ROW_S, Said, ScorerBox
from lve.spec.location import file_inside

MAX_BOXES = 2
"""Processes that are kept for the tests that asked last."""
_BOXES: dict[str, ScorerBox] = {}
_PATH = re.compile(r"(?!.*\.py$)[A-Za-z_]\w*(\.[A-Za-z_]\w*)+|[^:\0]+\.py:[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class Scorer(AnswerCheck):
    """Passes if a class or function of Python gives the answer a good enough score, in the sandbox.

    It has the interface of OpenCompass' evaluators, `score(predictions, references, test_set)`, and
    returns an object with numbers. It gets each row alone, which gives the row's verdict; when all
    rows have run, it gets them together, which gives the scores in reports. The test has to be
    trusted: `--trust`, or its file in the settings.
    """

    needs_model: ClassVar[bool] = True
    limit_s: ClassVar[float] = ROW_S + 5
    tier: ClassVar = "code"

    scorer: str
    """`scorer.py:Name` for a file of the test's folder, or `opencompass.datasets.Name` for a class
    of a tool that `lve import --setup` has installed."""
    options: Mapping[str, Any] | None = None
    """Arguments of the class."""
    pred_postprocessor: object = None
    """The function for the answer: its path, an object with `type`, or a list of these."""
    dataset_postprocessor: object = None
    """The function for the right answer."""
    threshold: float | None = None
    """The lowest score that passes; needed where the scorer's `details` don't say `correct`."""
    metric: str | None = None
    """The name of the score that counts; by default the first one."""
    row: Mapping[str, Any] | None = None
    """The check of each row (`opencompass_score`), of a scorer that can't judge one alone."""

    examples: ClassVar = (
        CheckExample({"scorer": "scorer.py:Overlap", "threshold": 50}),
        CheckExample(
            {"scorer": "opencompass.openicl.icl_evaluator.BleuEvaluator", "threshold": 50}
        ),
    )

    def __post_init__(self) -> None:
        if not _PATH.fullmatch(self.scorer):
            message = (
                "'scorer' is scorer.py:Name, of a file beside the test, or a class, package.Name"
            )
            raise ArgumentError("scorer", message)
        self._row()

    def _row(self) -> BuiltinChecker | None:
        if self.row is None:
            return None
        kind = load_builtin("opencompass_score")
        assert kind is not None
        try:
            return build(kind, self.row)
        except ArgumentError as error:
            raise ArgumentError("row", f"the check of a row: {error}", hint=error.hint) from None

    def in_folder(self, folder: Path) -> Scorer:
        name, colon, attribute = self.scorer.partition(":")
        if not colon:
            return self
        path = file_inside(folder, name)
        if isinstance(path, str):
            raise ArgumentError("scorer", f"{quoted(name)}: {path}")
        return replace(self, scorer=f"{path}:{attribute}")

    def work_on(self, length: int, context: CheckContext) -> int | None:
        return None

    def prepare(self) -> None:
        if self.row is None:
            self._box()

    def config(self) -> dict[str, object]:
        """Return what the scorer's process is started with."""
        return {
            "scorer": self.scorer,
            "options": dict(self.options or {}),
            "pred_postprocessor": _steps(self.pred_postprocessor),
            "dataset_postprocessor": _steps(self.dataset_postprocessor),
        }

    def _box(self) -> ScorerBox:
        file, colon, _ = self.scorer.rpartition(":")
        key = canonical_json([self.config(), Path(file).stat().st_mtime_ns if colon else 0])
        if key not in _BOXES:
            while len(_BOXES) >= MAX_BOXES:
                _BOXES.pop(next(iter(_BOXES))).end()
            _BOXES[key] = ScorerBox(self.config())
        return _BOXES[key]

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        if (rule := self._row()) is not None:
            return rule.check(context)
        box = self._box()
        try:
            said = box.row(response, context.reference, context.parameters)
        except CheckerError as error:
            if error.code == "checker_process":  # it has ended: the next row starts another one
                key = next(key for key, each in _BOXES.items() if each is box)
                _BOXES.pop(key).end()
            raise
        return self._judged(said)

    def _judged(self, said: Said) -> Verdict:
        name = self.metric or next(iter(said.scores), None)
        score = None if name is None else said.scores.get(name)
        if score is None and (self.metric, self.threshold) != (None, None):
            there = ", ".join(n for n, value in said.scores.items() if value is not None)
            message = f"the scorer gives no number {name or ''!r}: it gives {there or 'none'}"
            raise CheckerError(message, code="checker_code")
        reason = "the scorer " + ("says" if score is None else f"gives {name} {score:.6g}")
        if self.threshold is not None and score is not None:
            wanted = f"{reason}, wanted at least {self.threshold:g}"
            return judged(score >= self.threshold, wanted, score)
        if said.passed is None:
            message = f"{reason}, and doesn't say if the row is right: add `threshold`"
            raise CheckerError(message, code="checker_code")
        return judged(said.passed, f"{reason} {'right' if said.passed else 'wrong'}", score)


def _steps(value: object) -> list[object]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]
