"""Converts assertions that are scripts: to a lambda, or to a check that runs the script."""

from __future__ import annotations

from functools import partial

from lve.extensions.importing.promptfoo.check_texts import CheckTexts
from lve.extensions.importing.promptfoo.scripts.files import script_of
from lve.extensions.importing.promptfoo.scripts.javascript import to_lambda
from lve.extensions.importing.promptfoo.scripts.python import python_lambda
from lve.extensions.importing.promptfoo.source import FILE, UnsupportedError
from lve.extensions.importing.promptfoo.templates import is_template
from lve.extensions.importing.promptfoo.thresholds import NOT, Check, number
from lve.prompts.fill_texts import as_literal


def script_check(checks: CheckTexts, assertion: Check) -> Check:
    """Return the check for a script: of one expression, else one that runs the script."""
    script, answers = assertion["value"], checks.source.answers
    if is_template(script):
        raise UnsupportedError("left out: its script is a template")
    threshold = number(assertion) if "threshold" in assertion else None
    is_python = assertion["type"].removeprefix(NOT) == "python"
    is_object = answers == "json"
    is_whole = is_python and is_object  # its answer has other types than in a lambda
    if checks.transforms or script.startswith(FILE) or "config" in assertion or is_whole:
        return _run(checks, assertion, threshold)
    lambda_of = python_lambda if is_python else partial(to_lambda, is_object=is_object)
    try:
        source, names = lambda_of(script, threshold=threshold)
        if checks.is_scored and ("{" in script or source != lambda_of(script, threshold=0.123)[0]):
            return _run(checks, assertion, threshold)  # it may give another score than 0 or 1
    except UnsupportedError:
        return _run(checks, assertion, threshold)
    if is_object:
        checks.source.tell("answers must be JSON: one that isn't fails the scripts")
    checks.names.update(dict.fromkeys(names))
    return {"expression": as_literal(source), "on_error": "failed"}


def _run(checks: CheckTexts, assertion: Check, threshold: float | None) -> Check:
    """Return the check that runs a script in the sandbox.

    Raises:
        UnsupportedError: it needs what isn't there then, or it isn't certain what it gets.
    """
    kind = assertion["type"]
    if kind.startswith(NOT):
        raise UnsupportedError("left out: a script that must not pass")
    script = script_of(checks.source, assertion["value"], kind)
    if "vars" in script["promptfoo_script"]:
        if not checks.has_texts:
            raise UnsupportedError("left out: its script gets variables that aren't texts")
        checks.names.update(dict.fromkeys(checks.variables))
    if config := assertion.get("config"):
        script["config"] = config
    if threshold is not None:
        script["threshold"] = threshold
    if checks.source.answers != "text":
        script["answer"] = checks.source.answers
    return {**script, "on_error": "failed"}
