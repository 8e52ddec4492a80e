"""Finds problems in the prompts and checkers of a test without running anything."""

from __future__ import annotations

from lve.checkers.static import check_statically
from lve.errors import Problem, PromptError, SpecError, UnavailableError
from lve.prompts.plan import build_plan
from lve.spec.spec import Spec
from lve.workspace import display_path

_FINE_CHECKERS: set[str] = set()
"""Checkers with their arguments that had no problems, in this process."""


def static_problems(spec: Spec) -> list[Problem]:
    """Return the problems of a test's prompts and checkers."""
    problems = _checker_problems(spec)
    try:
        build_plan(spec)
    except UnavailableError:
        pass  # its items are skipped
    except SpecError as error:
        problems += error.problems
    except PromptError as error:
        problems.append(Problem(str(error), display_path(spec.file), code=error.code))
    return problems


def _checker_problems(spec: Spec) -> list[Problem]:
    """Return the problems of checkers and examples.

    The same checkers with the same arguments are checked only once: compiling an expression or a
    pattern takes most of the time, and many tests of a tree have the same checkers.
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
    folder = spec.dataset and spec.folder  # its data files decide which columns there are
    source = (folder, spec.parameters, spec.dataset)
    templates = (spec.reader_cfg, spec.infer_cfg, spec.prompt_object)
    return repr((checkers, spec.pass_when, source, templates))
