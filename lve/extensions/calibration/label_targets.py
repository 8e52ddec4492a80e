"""The check that `lve calibrate` measures: one of a test's, or one from the command line."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from lve.checkers.by_name import load_builtin
from lve.data_classes import dataclass
from lve.documents.position_types import TextError
from lve.documents.read import Document
from lve.documents.validation.schema import validate
from lve.documents.yaml_text import parse_yaml
from lve.errors import Problem, SpecError, UsageError
from lve.escape import excerpt
from lve.extensions.calibration.labels import Label
from lve.extensions.calibration.record import check_name
from lve.pipeline.choosing.loading import load_test
from lve.spec.check_names import CHECKS, ShortFormError, named_check
from lve.spec.discover import discover
from lve.spec.load import build_spec
from lve.spec.model_arg_names import KNOWN_MODEL_ARGS
from lve.spec.prompt_sources import each_variant
from lve.spec.spec import Expectation, Spec
from lve.suggest import did_you_mean
from lve.workspace import Workspace

COMMAND_LINE = "(command line)"


@dataclass(frozen=True, slots=True)
class LabelTarget:
    """A check whose verdicts are compared with labels."""

    spec: Spec
    """The test, with all of its checks."""
    index: int
    """Index of the check among the test's."""
    is_test: bool
    """Whether it is a check of a test; False if it was given on the command line."""

    @property
    def check(self) -> str:
        """The check's name, such as `judge` or `judge-2`."""
        return check_name(self.spec.checkers, self.index)

    @property
    def alone(self) -> Spec:
        """The test with only this check, so that its verdict is the check's verdict."""
        only = (self.spec.checkers[self.index],)
        expect = Expectation()
        return replace(self.spec, checkers=only, pass_when="all", expect=expect, repeats=1)

    def concerns(self, label: Label) -> bool:
        """Whether a label is about this check."""
        paths = (self.spec.path, *(test.path for test in each_variant(self.spec)))
        if label.test is not None and self.is_test and label.test not in paths:
            return False
        return label.check is None or label.check == self.check


def target_of_test(
    path: str, check: str | None, workspace: Workspace, report: Callable[[Problem], None]
) -> LabelTarget:
    """Return a check of a test.

    Args:
        path: the test's document or folder.
        check: the check's name; None if the test has only one.
        workspace: the test's workspace.
        report: called for each folder that can't be read.

    Raises:
        UsageError: the path names no test or several, or no or several checks match.
        SpecError: the test can't be used.
    """
    files = list(discover([path], report=report))
    if len(files) != 1:
        raise UsageError(f"{path} has {len(files)} tests: name one", code="several_tests")
    spec = load_test(files[0], workspace)
    if not spec.checkers:
        raise UsageError(f"{spec.path} has no check: any answer passes", code="choose_check")
    names = [check_name(spec.checkers, index) for index in range(len(spec.checkers))]
    if check is None:
        if len(names) > 1:
            raise UsageError(
                f"{spec.path} has several checks: give --check {' or '.join(names)}",
                code="choose_check",
            )
        return LabelTarget(spec, 0, is_test=True)
    if check not in names:
        hint = did_you_mean(check, names) or f"there are: {', '.join(names)}"
        raise UsageError(
            f"{spec.path} has no check `{excerpt(check)}`: {hint}", code="choose_check"
        )
    return LabelTarget(spec, names.index(check), is_test=True)


def target_of_check(text: str, labels: Sequence[Label], workspace: Workspace) -> LabelTarget:
    """Return a check from the command line, in a test whose prompt consists of the labels' args: a
    judge sees their values as the question.

    Args:
        text: the check in its short form, such as `{refusal: true}`.
        labels: the labels, whose args become the test's parameters.
        workspace: the current workspace.

    Raises:
        UsageError: the text isn't a check.
        SpecError: its arguments, or the names of the labels' args, are wrong.
    """
    check = _check_in(text)
    names = sorted({name for label in labels for name in label.args or {}} - KNOWN_MODEL_ARGS)
    data = {
        "description": "a check that stands alone",
        "prompt": [{"content": "\n\n".join(f"{{{name}}}" for name in names) or "(no prompt)"}],
        "prompt_parameters": names or None,
        "check": check,
    }
    here = Path(os.path.abspath(COMMAND_LINE))  # noqa: PTH100 (a name, not a file)
    document = Document(here, data, "", None)
    if problems := validate(document, "test"):
        raise SpecError(problems)
    return LabelTarget(build_spec(document, workspace.root), 0, is_test=False)


def _check_in(text: str) -> dict[str, object]:
    quoted = excerpt(text)
    if "{" not in text and os.sep in text:
        raise UsageError(f"{quoted}: no such file or folder", code="no_such_path")
    try:
        value = parse_yaml(text)
    except TextError as error:
        raise UsageError(
            f"'{quoted}' is no test (there is no such file) and no check: "
            f"{error.findings[0].message}",
            code="no_such_path",
        ) from None
    if isinstance(value, str):
        if value in CHECKS:
            example = "{judge: the rubric}" if value == "judge" else f"{{{value}: ...}}"
            raise UsageError(
                f"`{value}` needs its value: give '{example}' in place of its name",
                code="check_text",
            )
        if load_builtin(value) is None:
            hint = did_you_mean(value, CHECKS) or "`lve list checkers` lists checks"
            raise UsageError(
                f"'{quoted}' is no test (there is no such file) and no check: {hint}",
                code="no_such_path",
            )
        value = {value: {}}
    if not isinstance(value, dict):
        raise UsageError(
            f"'{quoted}' is no test and no check: write '{{refusal: true}}', say", code="check_text"
        )
    try:
        named_check(value)
    except ShortFormError as error:
        raise UsageError(f"'{quoted}' {error}: {error.hint}", code="check_text") from error
    return value
