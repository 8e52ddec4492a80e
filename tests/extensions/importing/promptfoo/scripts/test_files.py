"""Scripts that are read, and what they need."""

from __future__ import annotations

from pathlib import Path

import pytest
from extensions.importing.promptfoo.sources import source_in

from lve.extensions.importing.promptfoo.assertions import Checks
from lve.extensions.importing.promptfoo.source import UnsupportedError


@pytest.mark.parametrize(
    ("assertion", "why"),
    [
        ({"type": "not-javascript", "value": "file://a.js"}, "must not pass"),
        ({"type": "javascript", "value": "file://a.ts"}, "doesn't run"),
        ({"type": "javascript", "value": "file://../a.js"}, "a.js"),
        ({"type": "javascript", "value": "return context.test\n"}, "uses context.test"),
        ({"type": "javascript", "value": "x = require('axios')\n"}, "needs axios"),
        ({"type": "javascript", "value": "import x from 'y'\n"}, "ES modules"),
        ({"type": "python", "value": "import numpy\nreturn 1"}, "needs numpy"),
        ({"type": "equals", "value": "x", "transform": "context.vars.x"}, "uses context"),
        ({"type": "equals", "value": "x", "transform": {"a": 1}}, "isn't a script"),
    ],
)
def test_scripts_that_need_more_are_left_out(
    tmp_path: Path, assertion: dict[str, object], why: str
) -> None:
    (tmp_path / "a.js").write_text("module.exports = () => true")
    with pytest.raises(UnsupportedError, match=why):
        Checks(source_in(tmp_path)[0]).convert(assertion)


def test_an_answer_is_changed_before_it_is_judged(tmp_path: Path) -> None:
    checks = Checks(source_in(tmp_path)[0])
    made = checks.convert({"type": "not-equals", "value": "x", "transform": "output.trim()"})
    change = {"type": "promptfoo_script", "script": "output.trim()"}
    assert made == {"not": {"exact_match": "x", "normalise": "none", "extract": [change]}}
    assert "extract" not in checks.convert("x")
    made = checks.convert({"type": "is-json", "value": {}, "transform": "output.trim()"})
    assert [part["extract"] for part in made["all"]] == [[change], [change]]


def test_a_script_that_promptfoo_has_translated_runs_as_javascript(tmp_path: Path) -> None:
    for name in ("a.ts", "b.mjs", "c.js"):
        (tmp_path / name).write_text("export const f = (x: string) => x" if name < "c" else "1")
    source = source_in(tmp_path)[0]
    source.scripts = dict.fromkeys(("a.ts", "b.mjs", "c.js", "gone.ts"), "module.exports = {{}}")
    checks = [
        Checks(source).convert({"type": "javascript", "value": f"file://{name}"})
        for name in ("a.ts:f", "b.mjs", "c.js")
    ]
    text = "module.exports = {{{{}}}}"
    assert [check["promptfoo_script"] for check in checks] == [text, text, "1"]
    assert checks[0]["function"] == "f"
    with pytest.raises(UnsupportedError, match=r"gone\.ts"):
        Checks(source).convert({"type": "javascript", "value": "file://gone.ts"})
