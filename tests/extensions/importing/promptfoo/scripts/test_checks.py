"""Scripts that run as they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from extensions.importing.promptfoo.sources import source_in

from lve.extensions.importing.promptfoo.assertions import Checks
from lve.extensions.importing.promptfoo.source import UnsupportedError


def test_other_scripts_run_in_the_sandbox(tmp_path: Path) -> None:
    source, _ = source_in(tmp_path)
    (tmp_path / "check.py").write_text("def mine(output, context):\n    return {'pass': 1}\n")
    checks = Checks(source, ("city", "country"))
    value = "const t = output.color;\nreturn t === context.vars.city"
    assert checks.convert({"type": "javascript", "value": value, "threshold": 0.5}) == {
        "promptfoo_script": value, "threshold": 0.5, "on_error": "failed",
    }  # fmt: skip
    assert list(checks.names) == ["city", "country"]
    made = checks.convert({"type": "python", "value": "file://check.py:mine", "config": {"a": 1}})
    assert made == {
        "promptfoo_script": "def mine(output, context):\n    return {{'pass': 1}}\n",
        "written_in": "python", "form": "file", "function": "mine", "config": {"a": 1},
        "on_error": "failed",
    }  # fmt: skip
    source.answers = "calls"
    made = checks.convert({"type": "javascript", "value": "output[0].name === 'x'"})
    assert made["answer"] == "calls"
    assert "scripts run in the sandbox" in source.told[0]


def test_variables_that_are_no_texts_are_not_given_to_scripts(tmp_path: Path) -> None:
    checks = Checks(source_in(tmp_path)[0], ("n",), has_texts=False)
    with pytest.raises(UnsupportedError, match="variables that aren't texts"):
        checks.convert(
            {"type": "javascript", "value": "let n = context.vars.n;\nn += 1;\nreturn n"}
        )


def test_where_answers_are_json_no_script_gets_their_text(tmp_path: Path) -> None:
    source, _ = source_in(tmp_path)
    source.answers = "json"
    checks = Checks(source)
    made = checks.convert({"type": "javascript", "value": "typeof output === 'object'"})
    assert "json.loads(output)" in made["expression"]
    made = checks.convert({"type": "python", "value": "len(output) > 3"})
    assert (made["promptfoo_script"], made["answer"]) == ("len(output) > 3", "json")
    assert "one that isn't fails the scripts" in "".join(source.told)
