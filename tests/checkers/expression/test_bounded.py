"""Every expression ends soon and in little memory, as each operation is charged first.

A call into C can't be interrupted, so the expressions run in a process of their own."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hostile.recipes import hostile_expressions
from support.forked import python

from lve.checkers.expression.function import Function
from lve.checkers.judging_limits import LimitError

if sys.platform == "win32":
    pytest.skip("the limits of processes are POSIX", allow_module_level=True)

RUNNER = Path(__file__).parent / "hostile.py"
IMPORTED = ("lve.checkers.expression.function", "lve.checkers.judging_limits", "lve.regexes")
SECONDS = 2.0
"""Of CPU for an expression that may take a tenth of what others may. It takes 0.1; before
everything was paid for some took years."""
KILOBYTES = 400_000
CASES = Path(__file__).parents[2] / "cases/expressions/hostile.json"
HOSTILE: dict[str, list[str]] = json.loads(CASES.read_text(encoding="utf-8"))
HOSTILE["of folders"] = hostile_expressions()


def run_all(sources: list[str], response: str = "hello world") -> list[dict[str, Any]]:
    """Return what each of some expressions gave; none of them may take longer than `SECONDS`."""
    ended = subprocess.run(
        [*python(*IMPORTED), "-c", RUNNER.read_text(encoding="utf-8")],
        input=json.dumps([[source, response] for source in sources]),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    said = [json.loads(line) for line in ended.stdout.splitlines()]
    assert len(said) == len(sources), f"{sources[len(said)]} ended the process: {ended.stderr}"
    return said


@pytest.mark.parametrize("family", HOSTILE)
def test_hostile_expressions_end_soon_in_little_memory(family: str) -> None:
    for source, said in zip(HOSTILE[family], run_all(HOSTILE[family]), strict=True):
        assert said["seconds"] < SECONDS, source
        assert said["kilobytes"] < KILOBYTES, source


def test_any_expression_ends_soon() -> None:
    made = [_Maker(random.Random(seed)).expression() for seed in range(150)]
    for source, said in zip(made, run_all(made, "9" * 300 + " ab" * 3000), strict=True):
        assert said["seconds"] < SECONDS, source
        assert said["kilobytes"] < KILOBYTES, source


class _Maker:
    """Makes expressions at random out of everything that there is, with large operands."""

    VALUES = (
        *("r", "r.split()", "'a' * 9999", "('a' * 99 + 'b') * 99", "chr(912) * 99999"),
        *("[0] * 9999", "[r] * 999", "[[r] * 99] * 99", "tuple(range(9999))", "range(10**15)"),
        *("{i: r for i in range(999)}", "{(i, -1) for i in range(999)}", "set(range(9999))"),
        *("2**4095", "-3**2500", "1e308", "5e-324", "0.5", "7", "None", "True", "frozenset(r)"),
        *("(2**61 - 1) * 5", "'%s' * 99", "'%(a)s' * 99", "{'a': 'x' * 99999}", "'9' * 1999"),
        *("re.search('.*', r)", "'(a*)*b'", "json.loads('[1, [2, {}]]')", "('x', 'y') * 9999"),
    )
    OPERATORS = (
        *("+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^"),
        *("==", "!=", "<", ">=", "in", "not in", "is", "and", "or"),
    )

    def __init__(self, random: random.Random) -> None:
        from lve.checkers.expression import functions, methods

        self._random = random
        self._functions = sorted(functions.FUNCTIONS)
        self._methods = sorted(methods.METHOD_NAMES)
        self._of_modules = [f"math.{name}" for name in sorted(functions.MODULES["math"])]
        self._of_modules += ["json.dumps", "json.loads", "re.findall", "re.split", "re.sub"]

    def expression(self) -> str:
        """Return a lambda that computes something a million times."""
        parts = ", ".join(f"v{n} := {self._random.choice(self.VALUES)}" for n in range(3))
        return f"lambda r: ({parts}) and [{self._value(3)} for i in range(10**6)]"

    def _value(self, depth: int) -> str:
        pick = self._random.choice
        if depth == 0:
            return pick((*self.VALUES, "v0", "v1", "v2"))
        a, b = (self._value(depth - 1) for _ in range(2))
        return pick(
            (
                f"({a} {pick(self.OPERATORS)} {b})",
                f"{pick(self._functions)}({a})",
                f"{pick(self._functions)}({a}, {b})",
                f"({a}).{pick(self._methods)}({b})",
                f"({a}).{pick(self._methods)}()",
                f"{pick(self._of_modules)}({a}, {b})",
                f"{pick(('sorted', 'min', 'max'))}({a}, key=lambda x: {b})",
                f"({a})[{b}:{a}:{pick(('1', '-1', '2'))}]",
                f"f'{{{pick(('v0', 'v1', 'v2'))}:>{pick(('9', '999'))}}}'",
                f"[{a} for x in {b}]",
                f"{{{a}: {b}}}",
            )
        )


@pytest.mark.parametrize(
    "source",
    [
        "lambda r: 2.0 in range(5) and 2.5 not in range(5) and 1e300 not in range(5)",
        "lambda r: True in range(2) and None not in range(5) and '1' not in range(5)",
        "lambda r: math.inf not in range(5) and math.nan not in range(5)",
        "lambda r: sorted(['b', 'a'], key=str.upper, reverse=True) == ['b', 'a']",
        "lambda r: sorted([(1, 'b'), (0, 'a'), (1, 'a')], key=lambda x: x[0])[1][1] == 'b'",
        "lambda r: min(['bb', 'a'], key=len) == 'a' and max(1, 3, 2) == 3",
        "lambda r: min([], default=7) == 7 and max([1], default=7, key=abs) == 1",
        "lambda r: {1, 2} & {2, 3} == {2} and {1} | {2} == {1, 2} and {1, 2} - {2} == {1}",
        "lambda r: {1: 2} | {3: 4} == {1: 2, 3: 4} and 6 & 3 == 2 and 6 ^ 3 == 5",
        "lambda r: '%(n)05.1f%% of %(a)s' % {'n': 3, 'a': 'x'} == '003.0% of x'",
        "lambda r: '%s, %r' % ('a', 'b') == \"a, 'b'\"",
        "lambda r: ' xyx '.strip(' x') == 'y' and 'aXbX'.rsplit('X', 1) == ['aXb', '']",
        "lambda r: 'abc'.startswith(('x', 'ab')) and 'abcab'.rfind('ab', 0, 4) == 0",
        "lambda r: [1, 2, 1].count(1) == 2 and (1, 2).index(2) == 1",
        "lambda r: round(2.675, 2) == 2.67 and round(1234, -2) == 1200",
        "lambda r: 7 // 2 == 3 and 7 % 4 == 3 and 7 / 2 == 3.5 and divmod(7, 2) == (3, 1)",
        "lambda r: re.search('(b)(c)', 'abc').group(1, 2) == ('b', 'c')",
        "lambda r: len(set(zip(r.split(), r.split()[1:]))) > 0",
    ],
)
def test_what_is_paid_for_is_what_python_does(source: str) -> None:
    response = " ".join(f"word{n % 997}-{n}" for n in range(5000))
    assert Function(source).evaluate(response, {})[0]


def test_values_of_other_kinds_are_not_computed_with() -> None:
    for source in ("lambda r, a: a * 3", "lambda r, a: a % 1", "lambda r, a: math.sin(a)"):
        with pytest.raises(Exception, match="bytes"):
            Function(source).evaluate("", {"a": b"x"})


def test_a_bytes_value_grows_no_further_than_a_text() -> None:
    with pytest.raises(LimitError):
        Function("lambda r, a: (x := a, [x := x + x for i in range(40)])").evaluate("", {"a": b"x"})


def test_a_comprehension_has_few_clauses() -> None:
    clauses = "for x in r " * 1500
    with pytest.raises(Exception, match="clauses"):
        Function(f"lambda r: [1 {clauses}]")


@pytest.mark.parametrize(
    "source",
    [
        "lambda r: all({} for i in range(90000))",
        "lambda r: [i for i in range(90000) if {}]",
        "lambda r: list(map(lambda x: {}, range(90000)))",
        "lambda r: sorted(range(90000), key=lambda x: {})",
    ],
)
@pytest.mark.parametrize("operation", ["r != 'a'", "len(r) == 1", "not None", "-5"])
def test_a_long_body_of_a_loop_is_paid_for(source: str, operation: str) -> None:
    body = " and ".join([operation] * 1000)
    (said,) = run_all([source.format(body)], "x")
    assert said["outcome"].startswith("LimitError")
    assert said["seconds"] < SECONDS


def test_a_placeholder_in_a_loop_is_paid_for() -> None:
    function = Function("lambda r: all({a} for i in range(10**6))", is_template=True)
    with pytest.raises(LimitError):
        function.evaluate("", {"a": "[" + "1," * 190 + "1]"})
