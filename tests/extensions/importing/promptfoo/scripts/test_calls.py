"""Which lambda each operator, method, function and pattern of a script becomes, for operands of
each kind, and each type of assertion (cases/recorded_calls/scripts.json)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from extensions.importing.promptfoo.sources import source_in
from support.recorded_calls import Calls, changed, grid, in_folder, record, texts, values

from lve.extensions.importing.promptfoo.assertions import MAKERS, Checks
from lve.extensions.importing.promptfoo.scripts.calls import FUNCTIONS, pattern_of
from lve.extensions.importing.promptfoo.scripts.javascript import to_lambda
from lve.extensions.importing.promptfoo.scripts.python import python_lambda
from lve.extensions.importing.promptfoo.source import CallForm, UnsupportedError

TEXTS = texts("scripts")
VALUES = values("scripts")
OPERANDS = TEXTS["operands"]
FORMS: tuple[CallForm | None, ...] = (
    None,
    *(CallForm(name, {"f": {"type": "object"}, "g": {}}) for name in ("chat", "google", "live")),
    CallForm("function", {}),
    CallForm("", {"f": {}}),
)
FILES = {"a.txt": "Paris {{x}}", "a.json": '{"type": "object"}', "a.yaml": "type: array\n"}
DENIED = [*(f"not-{name}" for name in MAKERS), "ruby", "not-ruby", "webhook", "x", ""]


def javascript(script: str, *, is_object: bool = False) -> str:
    """Return the lambda of a script, or why it has none."""
    try:
        source, names = to_lambda(script, is_object=is_object, threshold=None)
    except UnsupportedError as error:
        return str(error).removeprefix("left out: ")
    return f"{source.removeprefix('lambda output')}{f' {names}' if names else ''}"


def each_of(name: str, scripts: Iterable[str], *, is_object: bool = False) -> Calls:
    """Return the lambda of each script; those that are refused for one reason are one row."""
    calls: Calls = {}
    refused: dict[str, list[str]] = {}
    for script in scripts:
        result = javascript(script, is_object=is_object)
        if result.startswith((":", ",")):
            calls[f"{name}{' of JSON' * is_object}: {script}"] = result
        else:
            refused.setdefault(result, []).append(script)
    return calls | {f"{name}{' of JSON' * is_object}: {why}": f"{n}" for why, n in refused.items()}


def python(script: str, threshold: float | None) -> object:
    return python_lambda(script, threshold=threshold)


def check(assertion: dict[str, Any], form: CallForm | None, answers: str = "text") -> object:
    """Return the check of an assertion, with what else it needs."""

    def work(folder: Path) -> object:
        source, _ = source_in(folder)
        source.answers = answers  # type: ignore[assignment]
        checks = Checks(source, ("x",), calls=form)
        made = checks.convert(assertion)
        return f"{made} {list(checks.names)} {checks.files} {source.told}"

    return in_folder(FILES, work)


def all_calls() -> Calls:
    both = itertools.product(OPERANDS, TEXTS["operators"], OPERANDS)
    methods = itertools.product(TEXTS["receivers"], TEXTS["methods"], TEXTS["arguments"])
    functions = itertools.product([*FUNCTIONS, "Math.pow", "f"], [*OPERANDS, *TEXTS["arguments"]])
    members = itertools.product((*OPERANDS, "output.x"), TEXTS["members"])
    types = itertools.product(("typeof output", "typeof JSON.parse(output)"), TEXTS["types"])
    assertions = [{"type": kind, "value": value} for kind in MAKERS for value in VALUES["values"]]
    assertions += [{"type": kind, **more} for kind in MAKERS for more in VALUES["more"]]
    denied = [{"type": kind, "value": value} for kind in DENIED for value in (None, "a", ["a"])]
    return {
        **each_of("binary", (f"({a}) {sign} ({b})" for a, sign, b in both)),
        **each_of("unary", (f"{sign}{a}" for sign in ("!", "-", "!!", "+") for a in OPERANDS)),
        **each_of("choice", (f"{a} ? {b} : 1" for a in OPERANDS for b in OPERANDS)),
        **each_of("method", (f"{value}.{m}({args}) === 'a'" for value, m, args in methods)),
        **each_of("function", (f"{name}({value})" for name, value in functions)),
        **each_of("member", (f"({value}){name} === 1" for value, name in members)),
        **each_of("type", (f"{value} {wanted}" for value, wanted in types)),
        **each_of("whole", TEXTS["scripts"]),
        **each_of("whole", (*TEXTS["scripts"], *TEXTS["of_json"]), is_object=True),
        **grid(pattern_of, TEXTS["patterns"], ("", "i", "gm", "su", "y")),
        **grid(python, TEXTS["pythons"], (None, 0.5)),
        **grid(check, assertions + denied, (None,)),
        **grid(check, ({"type": kind} for kind in (*MAKERS, *DENIED) if "call" in kind), FORMS),
        **grid(check, VALUES["others"], FORMS[:2], ("text", "json", "calls")),
    }


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("scripts", all_calls()) == {}


if __name__ == "__main__":
    record("scripts", all_calls())
