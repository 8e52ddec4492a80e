"""Texts whose placeholders have two braces."""

from __future__ import annotations

from pathlib import Path

import pytest

from lve.errors import SpecError
from lve.extensions.braces.template_text import from_double_braces, from_jinja, single_braces
from lve.prompts.fill import fill

VALUES = {"name": "Ana", "n": 3, "row": ["x", "y"]}
FILE = Path("p.j2")


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("Hello {{name}}", "Hello Ana"),
        ("Hello {{ name }}", "Hello Ana"),
        ('{"name": "{{name}}", "at": {"n": {{n}}}}', '{"name": "Ana", "at": {"n": 3}}'),
        ("{{{name}}}", "{Ana}"),
        ("{name} { } }} {{", "{name} { } }} {{"),
        ("{{{{name}}}}", "{{name}}"),
        ('{{"a": 1}}', '{{"a": 1}}'),
        ("{{}} {{ }}", "{{}} {{ }}"),
        ("{{n:03}} {{name!r}} {{row[1]}}", "003 'Ana' y"),
        ("a{{\nname}}", "a{{\nname}}"),
    ],
)
def test_double_braces(text: str, sent: str) -> None:
    assert fill(single_braces(text), VALUES) == sent


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("Hello {{ name }}\n", "Hello Ana"),
        ("Hello {{name}}\n\n", "Hello Ana\n"),
        ('{# why #}{"n": {{ n }}}', '{"n": 3}'),
        ("{name} }} {", "{name} }} {"),
    ],
)
def test_jinja_without_logic_is_a_prompt(text: str, sent: str) -> None:
    """The same as Jinja itself makes of it."""
    jinja2 = pytest.importorskip("jinja2")
    assert fill(from_jinja(text, FILE).text, VALUES) == sent == jinja2.Template(text).render(VALUES)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a\n {% if x %}", "p.j2:2:2: `{% if x %}` is logic of the template"),
        ("{{ name | upper }}", "p.j2:1:1: `{{ name | upper }}` has a filter"),
        ("{{ a.b }}", "p.j2:1:1: `{{ a.b }}` looks into a value"),
        ("{{ a['b'] }}", "p.j2:1:1: `{{ a['b'] }}` looks into a value"),
        ("{{- name }}", "p.j2:1:1: `{{- name }}` trims the space around it"),
        ("{%- raw %}", "p.j2:1:1: `{%- raw %}` is logic of the template"),
        ("{{ 1 + 1 }}", "p.j2:1:1: `{{ 1 + 1 }}` is no name"),
        ("x {{ name", "p.j2:1:3: `{{` is never closed"),
        ("{# name", "p.j2:1:1: `{#` is never closed"),
    ],
)
def test_logic_is_refused_with_its_line(text: str, problem: str) -> None:
    with pytest.raises(SpecError) as caught:
        from_jinja(text, FILE)
    assert [str(one) for one in caught.value.problems] == [
        f"{problem} (lve runs no logic of templates: write it without, or test the application "
        "that fills it)"
    ]


def test_all_logic_is_reported_together() -> None:
    with pytest.raises(SpecError) as caught:
        from_jinja("{% for a in b %}\n{{ a.c }}\n{% endfor %}", FILE)
    assert [problem.line for problem in caught.value.problems] == [1, 2, 3]


@pytest.mark.parametrize("convert", [from_double_braces, lambda text: from_jinja(text, FILE)])
def test_places_are_those_of_the_original(convert: object) -> None:
    text = '{"a": {}}\nand {{ name }} and {{ n }}'
    template = convert(text)  # type: ignore[operator]
    assert template.place(template.text.index("{name}")) == (2, 5)
    assert template.place(template.text.index("{n}")) == (2, 20)
    assert from_double_braces("").place(0) == (1, 1)
