"""Each function, method and operator of the expression language gives what Python gives."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import pytest

from lve.checkers.expression.function import Function
from lve.checkers.expression.functions import FUNCTIONS
from lve.checkers.expression.meter import MAX_NESTING
from lve.checkers.expression.patterns import RE_FUNCTIONS
from lve.checkers.judging_limits import LimitError

CALLS = {
    "abs": "abs(-3)",
    "all": "(all([1, 0]), all([]))",
    "any": "(any([1, 0]), any([]))",
    "bool": "(bool(), bool([0]))",
    "chr": "chr(97)",
    "dict": "(dict(a=1), dict([('b', 2)]))",
    "divmod": "divmod(7, 2)",
    "enumerate": "list(enumerate('ab', 1))",
    "filter": "list(filter(None, [0, 1]))",
    "float": "float('2.5')",
    "frozenset": "frozenset([1, 1]) == {1}",
    "int": "(int('7'), int('ff', 16))",
    "len": "len('abc')",
    "list": "list('ab')",
    "map": "list(map(len, ['a', 'bb']))",
    "max": "(max(1, 3, 2), max(['a', 'bb'], key=len), max([], default=4))",
    "min": "(min(1, 3, 2), min(['aa', 'b'], key=len))",
    "next": "(next(x for x in [5, 6]), next((x for x in []), 9))",
    "ord": "ord('a')",
    "pow": "pow(2, 5)",
    "range": "(list(range(3)), list(range(1, 7, 2)))",
    "repr": "repr('a')",
    "reversed": "list(reversed([1, 2]))",
    "round": "(round(2.567, 1), round(2.6))",
    "set": "set('aab')",
    "sorted": "(sorted([2, 1]), sorted(['bb', 'a'], key=len, reverse=True))",
    "str": "str(1.5)",
    "sum": "(sum([1, 2]), sum([1], 10))",
    "tuple": "tuple('ab')",
    "zip": "list(zip('ab', [1, 2]))",
    "escape": "re.escape('a.b*c')",
    "findall": "re.findall('a(.)', 'ab ac')",
    "fullmatch": "(re.fullmatch('a+', 'aa') is not None, re.fullmatch('a', 'aa') is None)",
    "match": "re.match('(a)(b)?', 'ac').groups()",
    "search": "re.search('b', 'abc').start()",
    "split": "re.split(',', 'a,b,c', maxsplit=1)",
    "sub": "re.sub('a', 'b', 'aaa', count=2)",
    "loads": "json.loads('[1, {\"a\": null}]')",
    "dumps": "json.dumps({'b': 1, 'a': 'é'}, sort_keys=True, ensure_ascii=False)",
}
OTHERS = [
    *(
        "None is None",
        "None is not None",
        "[] is []",
        "1 in [1]",
        "1 not in [1]",
        "'a' in {'a': 1}",
    ),
    *("'a-b'.replace('-', '+')", "'aaa'.replace('a', 'b', 2)", "'aaa'.replace('a', '', 0)"),
    *("'%s and %d' % ('a', 3)", "'%(a)s %(a)s' % {'a': 'x'}", "'%5.1f|%-4s|%%' % (2.25, 'ab')"),
    *("7 // 2", "7 % 3", "2 ** 5", "7 / 2", "3 - 5", "-3", "~3", "not 3", "1 < 2 <= 2 != 3"),
    *(
        "[1, 2, 3][-1]",
        "'abc'[::2]",
        "{'a': 1}.get('b', 7)",
        "[*'ab', 'c']",
    ),
]


def test_each_function_is_called_below() -> None:
    assert {*FUNCTIONS, *RE_FUNCTIONS, "loads", "dumps"} == set(CALLS)


@pytest.mark.parametrize("body", [*CALLS.values(), *OTHERS])
def test_the_value_is_pythons(body: str) -> None:
    expected: Any = eval(body, {"re": re, "json": json, "math": math})
    source = f"lambda r, expected: ({body}) == expected"
    passed, reason = Function(source).evaluate("", {"expected": expected})
    assert passed, reason


def test_a_value_may_be_nested_so_deep_and_no_deeper() -> None:
    def nested(depth: int) -> Any:
        value: Any = "x"
        for _ in range(depth):
            value = [value]
        return value

    function = Function("lambda r, v: v == v")
    assert function.evaluate("", {"v": nested(MAX_NESTING - 1)})[0]
    with pytest.raises(LimitError, match=f"nested more than {MAX_NESTING} deep"):
        function.evaluate("", {"v": nested(MAX_NESTING + 2)})
