"""Each function, method and operator of the expression language gives what Python gives."""

from __future__ import annotations

import json
import math
import re
import string
from typing import Any

import pytest

from lve.checkers.expression.function import Function
from lve.checkers.expression.functions import FUNCTIONS
from lve.checkers.expression.meter import MAX_NESTING
from lve.checkers.expression.patterns import RE_FUNCTIONS
from lve.checkers.judging_limits import LimitError
from lve.errors import LveError

CALLS = {
    "abs": "abs(-3)",
    "all": "(all([1, 0]), all([]))",
    "any": "(any([1, 0]), any([]))",
    "bin": "(bin(5), int(bin(9)[2:], 2))",
    "bool": "(bool(), bool([0]))",
    "chr": "chr(97)",
    "dict": "(dict(a=1), dict([('b', 2)]))",
    "divmod": "divmod(7, 2)",
    "enumerate": "list(enumerate('ab', 1))",
    "filter": "list(filter(None, [0, 1]))",
    "float": "float('2.5')",
    "format": "(format(3.14159, '.2f'), format(1234567, ','), format(255, 'x'), format('a'))",
    "frozenset": "frozenset([1, 1]) == {1}",
    "hex": "(hex(255), hex(-1))",
    "int": "(int('7'), int('ff', 16))",
    "iter": "list(iter('ab'))",
    "len": "len('abc')",
    "list": "list('ab')",
    "map": "list(map(len, ['a', 'bb']))",
    "max": "(max(1, 3, 2), max(['a', 'bb'], key=len), max([], default=4))",
    "min": "(min(1, 3, 2), min(['aa', 'b'], key=len))",
    "next": "(next(x for x in [5, 6]), next((x for x in []), 9))",
    "oct": "oct(8)",
    "ord": "ord('a')",
    "pow": "(pow(2, 5), pow(2, 5, 7), pow(3, -1, 7), pow(base=2, exp=10, mod=1000), pow(2, -1))",
    "range": "(list(range(3)), list(range(1, 7, 2)))",
    "repr": "repr('a')",
    "reversed": "list(reversed([1, 2]))",
    "round": "(round(2.567, 1), round(2.6))",
    "set": "set('aab')",
    "sorted": "(sorted([2, 1]), sorted(['bb', 'a'], key=len, reverse=True))",
    "str": "str(1.5)",
    "sum": "(sum([1, 2]), sum([1], 10), sum([[1], [2, 3]], []), sum([(1,)], start=(0,)))",
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
        "{**{'a': 1, 'b': 2}, 'b': 3, **{}}",
    ),
    *("next(iter([1, 2]))", "next(filter(None, [0, 3]))", "next(reversed('ab'))"),
    *("next(map(len, ['abc']), None)", "next(iter([]), 'none')", "next(zip('a', [1]))"),
    *(
        "max(['a', 'b', 'b'], key=['a', 'b', 'b'].count)",
        "max({'a': 1, 'b': 3}, key={'a': 1, 'b': 3}.get)",
    ),
    *("list(map(re.escape, ['a.b']))", "list(map(math.sqrt, [4]))", "list(map('abc'.find, 'cb'))"),
    *(
        "isinstance(1, int | float | str)",
        "isinstance('a', list | dict)",
        "isinstance(1, (int, str))",
    ),
    *("list(dict.fromkeys(['b', 'a', 'b']))", "dict.fromkeys('ab', 0)"),
    *(
        "'a-b, c!'.translate(str.maketrans('', '', string.punctuation))",
        "'abc'.translate(str.maketrans('ab', 'xy'))",
        "'abc'.translate(str.maketrans({'a': 'long', 'b': None}))",
    ),
    *("len('é'.encode())", "'é'.encode('latin-1')", "'é'.encode('ascii', 'ignore')"),
    *("string.whitespace", "string.hexdigits + string.octdigits", "len(string.printable)"),
    *("math.comb(5, 2)", "math.comb(4000, 2000)", "math.comb(10**30, 2)", "math.perm(5)"),
    *("math.perm(5, 2)", "math.factorial(400)", "math.comb(2, 3)", "math.factorial(0)"),
    *("math.prod([1, 2.5, 3])", "math.prod([], start=4)", "math.fsum([.1] * 10)", "math.lcm(4, 6)"),
    *("math.lcm()", "math.pow(2, 3)", "math.atan2(1, 2)", "math.log1p(1)", "math.modf(2.5)"),
    *("math.copysign(1, -2)", "math.cbrt(27)", "math.remainder(7, 3)"),
]
REFUSED = {
    "math.factorial(10**6)": "4096 bits",
    "math.comb(10**6, 5 * 10**5)": "4096 bits",
    "math.perm(10**6, 10**5)": "4096 bits",
    "math.prod(range(1, 10**4))": "4096 bits",
    "math.lcm(*range(1, 9999))": "4096 bits",
    "[pow(3, 2**2000, 2**2000 - 1) for i in range(99)]": "steps",
    "sum([[0]] * 9999, [])": "steps",
    "('a' * 9999).translate({97: 'b' * 9999})": "1,000,000 characters",
    "'a'.encode('punycode')": "utf-8",
    "'é'.encode('ascii', 'namereplace')": "ignore",
    "'a'.translate('table')": "str.maketrans",
    "next([1])": "can't be called",
    "next(r)": "can't be called",
    "str.maketranz('a', 'b')": "maketrans",
    "max('a', key=r.size)": "expected a function",
    "math.factorial('5')": "a number is wanted",
    "math.prod(['a'])": "a number is wanted",
    "{**r}": "items",
}
"""Expressions that take too long, or that have no meaning here, and what their error says."""


def test_each_function_is_called_below() -> None:
    assert {*FUNCTIONS, *RE_FUNCTIONS, "loads", "dumps"} == set(CALLS)


@pytest.mark.parametrize("body", [*CALLS.values(), *OTHERS])
def test_the_value_is_pythons(body: str) -> None:
    expected: Any = eval(body, {"re": re, "json": json, "math": math, "string": string})
    source = f"lambda r, expected: ({body}) == expected"
    passed, reason = Function(source).evaluate("", {"expected": expected})
    assert passed, reason


@pytest.mark.parametrize("body", REFUSED)
def test_what_takes_too_long_or_means_nothing_is_refused(body: str) -> None:
    with pytest.raises(LveError) as caught:
        Function(f"lambda r: {body}").evaluate("response", {})
    assert REFUSED[body] in f"{caught.value} {getattr(caught.value, 'hint', '')}"


def test_a_variable_with_the_name_of_a_module_or_type_is_a_variable() -> None:
    assert Function("lambda re, str='ab': max('ab', key=str.find) == 'b'").evaluate("", {})[0]
    assert Function("lambda math: list(map(math.find, 'b')) == [1]").evaluate("ab", {})[0]


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
