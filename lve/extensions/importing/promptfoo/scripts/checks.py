"""Converts assertions that are scripts: to a lambda, or to a check that runs the script."""

from __future__ import annotations

from lve.extensions.importing.promptfoo.check_texts import CheckTexts
from lve.extensions.importing.promptfoo.scripts.files import script_of
from lve.extensions.importing.promptfoo.scripts.javascript import to_lambda
from lve.extensions.importing.promptfoo.scripts.python import python_lambda
from lve.extensions.importing.promptfoo.source import FILE, UnsupportedError
from lve.extensions.importing.promptfoo.templates import escape_braces, is_template
from lve.extensions.importing.promptfoo.thresholds import NOT, Check, number


def script_check(checks: CheckTexts, assertion: Check) -> Check:
    """Return the check for a script: of one expression, else one that runs the script."""
    script, answers = assertion["value"], checks.source.answers
    if is_template(script):
        raise UnsupportedError("left out: its script is a template")
    threshold = number(assertion) if "threshold" in assertion else None
    is_python = assertion["type"].removeprefix(NOT) == "python"
    if checks.transforms or script.startswith(FILE) or "config" in assertion:
        return _run(checks, assertion, threshold)
    try:
        if is_python:
            source, names = python_lambda(script, threshold=threshold)
        else:
            try:
                source, names = to_lambda(script, is_object=False, threshold=threshold)
            except UnsupportedError:
                if answers != "json":
                    raise
                source, names = to_lambda(script, is_object=True, threshold=threshold)
    except UnsupportedError:
        return _run(checks, assertion, threshold)
    checks.names.update(dict.fromkeys(names))
    return {"expression": escape_braces(source), "on_error": "failed"}


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
