"""What is wrong with the prompts and checkers of a test, found without running anything."""

from __future__ import annotations

from lve.checkers.static import check_statically
from lve.errors import Problem, PromptError, SpecError
from lve.prompts.plan import build_plan
from lve.spec.model import Spec
from lve.workspace import display_path

_FINE_CHECKERS: set[str] = set()
"""Checkers and arguments without problems, in this process."""


def static_problems(spec: Spec) -> list[Problem]:
    """Return what is wrong with prompts and checkers."""
    problems = _checker_problems(spec)
    try:
        build_plan(spec)
    except SpecError as error:
        problems += error.problems
    except PromptError as error:
        problems.append(Problem(str(error), display_path(spec.file), code=error.code))
    return problems


def _checker_problems(spec: Spec) -> list[Problem]:
    """Return what is wrong with checkers and examples.

    The same checkers with the same arguments are checked once: compiling an expression or a pattern
    takes longer than all the rest, and trees of tests repeat a few.
    """
    if spec.examples:
        return check_statically(spec)
    checkers = _checkers_of(spec)
    if checkers in _FINE_CHECKERS:
        return []
    problems = check_statically(spec)
    if not problems:
        _FINE_CHECKERS.add(checkers)
    return problems


def _checkers_of(spec: Spec) -> str:
    checkers = [(checker.name, checker.args) for checker in spec.checkers]
    folder = spec.dataset and spec.folder  # whose files have the columns
    source = (folder, spec.parameters, spec.dataset)
    templates = (spec.reader_cfg, spec.infer_cfg, spec.prompt_object)
    return repr((checkers, spec.pass_when, source, templates))
