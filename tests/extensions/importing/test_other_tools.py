"""Words and files of other tools get a hint where lve refuses them."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.command_line import call, lve
from support.folders import workspace, write_test

from lve.errors import UsageError
from lve.extensions.importing.other_tools import CHECK_NAMES
from lve.extensions.importing.promptfoo.assertions import MAKERS
from lve.spec.check_names import CHECKS, hint_for_check

CONFIG = "prompts: ['Say {{x}}']\nproviders: [openai:gpt-4o]\ntests: [{vars: {x: 1}}]\n"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("llm-rubric", "here it is `judge`"),
        ("contains-json", "here it is `json`"),
        ("tool_called", "here it is `called`"),
        ("not-llm-rubric", "here it is `judge` inside `not`"),
        ("icontains", "here it is `contains` with `ignore_case: true`"),
        ("is-json", "did you mean `is_json`?"),
        ("containz", "did you mean `contains`?"),
        ("javascript", "here it is `expression`"),
    ],
)
def test_a_name_of_another_tool_gets_the_name_here(name: str, hint: str) -> None:
    assert hint_for_check(name) == hint


def test_every_name_leads_to_checks_that_there_are() -> None:
    named = {part for text in CHECK_NAMES.values() for part in text.split("`")[::2]}
    shown = {name for text in named for name in text.split(" or ") if name in CHECKS}
    assert {text.split("`")[0] for text in CHECK_NAMES.values()} <= shown | {*CHECKS}
    assert not CHECKS.keys() & CHECK_NAMES.keys(), "a check of that name isn't refused"


@pytest.mark.parametrize("name", MAKERS)
def test_every_assertion_that_is_imported_is_here_or_has_a_hint(name: str) -> None:
    assert name in CHECKS or hint_for_check(name)


@pytest.mark.parametrize(
    ("check", "said"),
    [
        ({"llm-rubric": "polite"}, "here it is `judge`"),
        ({"llm-rubric": "polite", "threshold": 0.5}, "here it is `judge`"),
        ({"type": "llm-rubric", "value": "polite"}, "here it is `judge`"),
        ({"type": "contains", "value": "x"}, "write `contains: ...` instead of `type`"),
        ({"not": {"contains-json": {}}}, "here it is `json`"),
    ],
)
def test_lve_check_says_it_wherever_a_check_is_named(
    root: Path, check: dict[str, object], said: str
) -> None:
    write_test(root / "t", checker_args=None, check=check)
    code, out, err = call("check", "t")
    assert (code, said in out + err) == (2, True), out + err


@pytest.mark.parametrize("name", ["promptfooconfig.yaml", "promptfooconfig.json"])
@pytest.mark.parametrize("verb", ["run", "check", "list"])
def test_a_configuration_of_promptfoo_leads_to_the_import(root: Path, name: str, verb: str) -> None:
    workspace(root)
    (root / "pf").mkdir()
    (root / "pf" / name).write_text(CONFIG)
    command = f"`lve import promptfoo pf/{name} -o FOLDER` converts promptfoo's configuration"
    with pytest.raises(UsageError, match="is not a test document; `lve import promptfoo"):
        call(verb, f"pf/{name}")
    done = lve(verb, "pf", code=5)
    assert command in f"{done.stderr}{done.exception}"


def test_a_configuration_that_is_called_test_yaml_leads_there_too(root: Path) -> None:
    (root / "test.yaml").write_text(CONFIG)
    code, out, err = call("check", "test.yaml")
    assert code == 2
    assert "`lve import promptfoo FILE -o FOLDER` converts its tests" in out + err
