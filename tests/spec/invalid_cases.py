"""Runs a folder of tests/cases/invalid: what does lve say of it?"""

from __future__ import annotations

import os
from pathlib import Path

from lve.data.instances import iter_instances
from lve.data.missing_columns import with_all_columns
from lve.errors import Problem, SpecError
from lve.prompts.plan import build_plan
from lve.spec.load import load_spec


def problem_lines(folder: Path) -> list[str]:
    """Return the problems of a test, its prompts and rows, with paths relative to the folder."""
    try:
        spec = load_spec(folder, folder)
        problems = [*build_plan(spec).warnings] if spec.infer_cfg is None else []
        rows = with_all_columns(spec, iter_instances(spec))
        problems += [found for found in rows if isinstance(found, Problem)]
    except SpecError as err:
        problems = list(err.problems)
    shown = os.path.relpath(folder)
    lines = "\n".join(str(problem) for problem in problems)
    return lines.replace(f"{shown}/", "").replace(shown, ".").splitlines()
