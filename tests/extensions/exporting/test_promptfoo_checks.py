"""Checks as promptfoo's assertions: node gives the verdicts that lve gives."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from lve.checkers.builtin_checker import CheckExample
from lve.checkers.by_name import load_builtin
from lve.extensions.exporting.promptfoo_checks import NotCarriedError, Variables, assertion_of

EXPORTED = {
    "contains", "contains_any", "contains_all", "not_contains", "starts_with", "ends_with",
    "equals", "regex", "not_regex", "any", "all", "not", "weighted", "is_json",
}  # fmt: skip
NODE = shutil.which("node")
EVALUATE = """
const lower = (x, i) => i ? x.toLowerCase() : x;
const kinds = {
  'contains': (o, v, i) => lower(o, i).includes(lower(v, i)),
  'contains-any': (o, v, i) => v.some(t => lower(o, i).includes(lower(t, i))),
  'contains-all': (o, v, i) => v.every(t => lower(o, i).includes(lower(t, i))),
  'is-json': o => { try { JSON.parse(o); return true; } catch { return false; } },
  'javascript': (output, v) => { const context = {vars: {}}; return Boolean(eval(v)); },
};
const cases = JSON.parse(require('fs').readFileSync(0, 'utf8'));
console.log(JSON.stringify(cases.map(([a, output]) => {
  const name = a.type.startsWith('icontains') ? a.type.slice(1) : a.type;
  return kinds[name](output, a.value, name !== a.type);
})));
"""


def examples() -> list[tuple[dict[str, object], str, bool]]:
    """Return assertions of all examples of the exported checks, answers, and lve's verdicts."""
    cases = []
    for name in sorted(EXPORTED):
        every: tuple[CheckExample, ...] = kind.examples if (kind := load_builtin(name)) else ()
        for example in every:
            try:
                assertion = assertion_of(name, dict(example.check), Variables())
            except NotCarriedError:
                continue
            cases += [(assertion, str(answer), True) for answer in example.passes]
            cases += [(assertion, str(answer), False) for answer in example.fails]
    return cases


@pytest.mark.skipif(NODE is None, reason="node isn't installed")
def test_assertions_give_the_verdicts_of_the_checks() -> None:
    cases = examples()
    assert len(cases) > 40
    text = json.dumps([case[:2] for case in cases])
    done = subprocess.run(  # a program that is found
        [str(NODE), "-e", EVALUATE], input=text, capture_output=True, text=True, check=True
    )
    verdicts = json.loads(done.stdout)
    differing = [case for case, verdict in zip(cases, verdicts, strict=True) if case[2] != verdict]
    assert not differing


def test_texts_that_are_compared_as_they_are_become_equals() -> None:
    exact = {"exact_match": "a {x}", "normalise": "none"}
    assert assertion_of("exact_match", exact, Variables()) == {
        "type": "equals",
        "value": "a {{ x }}",
    }
    negated = assertion_of("not", {"not": exact}, Variables())
    assert negated["type"] == "javascript"
    assert "a === t" in str(negated["value"])


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("exact_match", {"exact_match": "x"}),
        ("exact_match", {"exact_match": "x", "normalise": "none", "ignore_case": True}),
        ("regex", {"regex": "(?P<a>x)"}),
        ("regex", {"regex": "x", "flags": "X"}),
        ("regex", {"regex": "x", "captured": "x"}),
        ("any", {"any": [{"max_words": 3}]}),
        ("not", {"not": {"checker_name": "RegexChecker"}}),
        ("weighted", {"weighted": [{"contains": "a"}], "by": "score"}),
    ],
)
def test_what_means_something_else_is_refused(name: str, args: dict[str, object]) -> None:
    with pytest.raises(NotCarriedError):
        assertion_of(name, args, Variables())


def test_texts_that_name_files_are_not_read_by_promptfoo() -> None:
    for value in ("file:///etc/passwd", "package:x", ["a", "file://x"]):
        name = "contains" if isinstance(value, str) else "contains_any"
        assert assertion_of(name, {name: value}, Variables())["type"] == "javascript"
    with pytest.raises(NotCarriedError, match="names a file"):
        assertion_of("judge", {"judge": "file:///etc/passwd"}, Variables())


def test_further_keys_of_a_check_are_not_lost() -> None:
    for check in ({"is_json": True}, {"not": {"contains": "a"}}):
        name = next(iter(check))
        assert assertion_of(name, check, Variables())
        with pytest.raises(NotCarriedError, match=f"the check `{name}`"):
            assertion_of(name, {**check, "extract": "uppercase"}, Variables())


def test_any_text_and_name_becomes_a_template() -> None:
    variables = Variables()
    assert variables.template("\0{a}\0{not}") == "\0{{ a }}\0{{ lve_text_2 }}"
    assert variables.row({"a": "x", "not": "y"}) == {"a": "x", "lve_text_2": "y"}
