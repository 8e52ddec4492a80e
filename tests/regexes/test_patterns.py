"""Compiling any pattern takes little time and memory, and the cache of patterns is limited."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lve import regexes
from lve.regexes.patterns import _KEPT_WEIGHT, _patterns

BOMBS = [
    "a{4294967294}",
    "a{4294967294,}",
    "(?:(?:ab){1,2}){4294967294}",
    "(?:(?:(?:a{100}){100}){100})",
    "(" * 25 + "a" + ")+" * 25,
    "(?:" * 40 + "a" + ")+?" * 40,
    "(?:" * 80 + "a" + "){4294967294}" * 80,
    "(?:" * 18 + "a" + "){1,5}" * 18,
    "(){20000}",
    "()" * 9_000,
    "(?<=a{100000})b",
    "(a)(?:\\1){100000}",
    "(?:(b)?(?(1)a|c)){100000}",
    "(?=a{100000})",
    "(?#[)a{4294967294}(?#])",
    "(?x)#[\na{4294967294}#]",
    "[a]{4294967294}",
    "[^]]{4294967294}",
    r"\]{4294967294}",
    "(?:a{1000})" * 1_800,
    "[" + "".join(map(chr, range(0x100, 0x500, 2))) + "]{1000}",
]
LARGE = [
    r"\d{1,1000}",
    r"(?:[a-z0-9]{1,63}\.){1,127}[a-z]{2,63}",
    r"(?:\w+\s+){500,}",
    "a{10000}",
    ".{5000,}",
    "|".join(f"word{n}" for n in range(2_200)),
    "[\x00-\U0010ffff]" * 4_000,
    "(?i)" + "[\x00-\U0010fff0]" * 3_000,
    "[" + "".join(map(chr, range(0x100, 0x4F00, 2))) + "]",
    "(?i)[" + "".join(map(chr, range(0x100, 0x4F00, 2))) + "]",
    "a?" * 5_000 + "a" * 5_000,
    "(?:" * 60 + "a" + ")*" * 60,
    "a{0,4294967294}",
    "".join(f"(?P<n{n}>a)" for n in range(1_500)),
]

_COMPILE_ALL = """
import resource, sys, time
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
from lve import regexes
for line in sys.stdin:
    try:
        regexes.compile_pattern(eval(line))
        print("compiled")
    except regexes.PatternError as error:
        print(error)
"""


@pytest.mark.parametrize("pattern", BOMBS, ids=range(len(BOMBS)))
def test_bomb_is_refused(pattern: str) -> None:
    with pytest.raises(regexes.PatternError, match="repeats too much") as caught:
        regexes.compile_pattern(pattern)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("pattern", LARGE, ids=range(len(LARGE)))
def test_large_pattern_is_compiled(pattern: str) -> None:
    assert regexes.compile_pattern(pattern).weight <= regexes.MAX_WEIGHT


@pytest.mark.parametrize("pattern", ["(" * 9_000 + ")" * 9_000, "(?:a|" * 2_500 + ")" * 2_500])
def test_deep_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(regexes.PatternError, match="nested too deeply"):
        regexes.compile_pattern(pattern)


@pytest.mark.skipif(os.name != "posix", reason="memory is limited with setrlimit")
def test_all_of_them_take_little_time_and_memory() -> None:
    lines = "".join(f"{pattern!r}\n" for pattern in [*BOMBS, *LARGE])
    done = subprocess.run(
        [sys.executable, "-c", _COMPILE_ALL],
        input=lines,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.splitlines().count("compiled") == len(LARGE)


def _repeated(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    repeat = st.sampled_from(["+", "*", "?", "{3}", "{2,}", "{70}", "{5000}", "{1,9}", "{9,9}?"])
    return st.one_of(
        st.tuples(inner, repeat).map(lambda pair: f"(?:{pair[0]}){pair[1]}"),
        st.tuples(inner, repeat).map(lambda pair: f"({pair[0]}){pair[1]}"),
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("|".join),
        inner.map("(?={})".format),
    )


@settings(max_examples=60, deadline=10_000)
@given(st.recursive(st.sampled_from(["a", "[a-f]", "()", "^", "", r"\w+"]), _repeated))
def test_what_is_accepted_compiles_soon(pattern: str) -> None:
    with suppress(regexes.PatternError):
        regexes.compile_pattern(pattern)


def test_kept_patterns_have_a_bound_together() -> None:
    for n in range(20):
        regexes.compile_pattern(f"a{{30000}}{n}")
    assert _patterns._weight == sum(one.weight for one in _patterns._kept.values())
    assert _patterns._weight <= _KEPT_WEIGHT


def test_a_pattern_is_compiled_once() -> None:
    assert regexes.compile_pattern("once") is regexes.compile_pattern("once")


def test_regex_forgets_patterns_of_rows() -> None:
    from regex import _main  # it has no public way to look at what it keeps

    for n in range(1_100):
        regexes.compile_pattern(f"row {n}")
    assert len(_main._locale_sensitive) < 1_000


@pytest.mark.parametrize(
    "pattern", ["(?=(a))", "(?=(a)(b)?)", "(?<=(a))b", "a(?=(b)|(c))", "(?=b)|(a)", "(?=(x))"]
)
@pytest.mark.parametrize("text", ["", "ab", "abcab", "aac"])
def test_what_may_be_found_twice_is_found_as_by_regex(pattern: str, text: str) -> None:
    compiled = regexes.compile_pattern(pattern)
    assert compiled.repeats_text
    assert regexes.call(compiled, "findall", text) == compiled.timed.findall(text)
    assert regexes.call(compiled, "split", text) == compiled.timed.split(text)
    assert regexes.call(compiled, "split", text, 1) == compiled.timed.split(text, 1)


@pytest.mark.parametrize("method", ["findall", "split"])
def test_the_same_text_found_everywhere_is_too_much_memory(method: str) -> None:
    pattern = regexes.compile_pattern("x(?=(.*))")
    with pytest.raises(regexes.PatternTimeoutError, match="too much memory"):
        regexes.call(pattern, method, "x" * 20_000, seconds=60)


PLAIN_PARTS = st.sampled_from(
    [
        *("a", "b", ".", "^", "$", r"\A", r"\Z", "[ab]", "[^a]", "[a-c]", "[^\n]", "(a)", "(?:ab)"),
        *("(?P<n>b)", "(a|b)", "(?:|a)", "(?:ab|a|b.)", "\n", r"\x41", r"\.", "\u0130", "K", "s"),
        "[\u017f-\u212a]",
    ]
)
TEXTS = st.text(st.sampled_from("abcK\nAs.\u0130\u017f\u212a\u0301 "), max_size=12)


@settings(max_examples=600, deadline=None)
@given(
    st.lists(PLAIN_PARTS, max_size=6).map("".join),
    TEXTS,
    st.sampled_from([0, re.M, re.S, re.M | re.S]),
)
def test_a_plain_pattern_matches_as_by_regex(pattern: str, text: str, flags: int) -> None:
    try:
        compiled = regexes.compile_pattern(pattern, flags)
    except regexes.PatternError:  # the same name twice
        return
    for method in ("search", "match", "fullmatch"):
        by_call = regexes.call(compiled, method, text)
        expected = getattr(compiled.timed, method)(text)
        assert (by_call is None) is (expected is None)
        if by_call is not None:
            assert by_call.regs == tuple(expected.regs)
            assert by_call.groupdict() == expected.groupdict()


@pytest.mark.parametrize(
    ("pattern", "is_plain"),
    [
        ("Hello", True),
        ("Paris|London|(?:New )", True),
        (r"^a[^b].\.$", True),
        ("(a|b)(c|d)", True),
        ("(ab|b)(cd|d)", False),
        ("a+", False),
        ("a?", False),
        ("[\u0100-\u0200]", False),
        ("a" * 2_001, False),
        (r"\w", False),
        (r"[\d]", False),
        (r"\ba", False),
        ("(?i)a", False),
        ("(?i:a)", False),
        ("(?=a)", False),
        (r"(a)\1", False),
        ("((a|b)+)", False),
    ],
)
def test_plain_are_patterns_without_repetition_and_letters_that_stand_for_others(
    pattern: str, is_plain: bool
) -> None:
    compiled = regexes.compile_pattern(pattern)
    assert (compiled.quick is not None) is is_plain
    assert compiled.groups == compiled.timed.groups


def test_a_plain_pattern_on_a_long_text_has_a_deadline() -> None:
    pattern = regexes.compile_pattern("|".join(f"{n}word" for n in range(100)))
    with pytest.raises(regexes.PatternTimeoutError):
        regexes.call(pattern, "search", "1wor" * 1_000_000, seconds=0.01)


def test_plain_patterns_need_no_regex() -> None:
    code = (
        "import sys\nfrom lve import regexes\n"
        "assert regexes.call(regexes.compile_pattern('b|c'), 'search', 'abc').start() == 1\n"
        "print('regex' in sys.modules)\n"
        "regexes.compile_pattern('a+')\n"
        "print('regex' in sys.modules)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["False", "True"]
