"""Personal data found by Presidio's patterns and by a recognizer of this test, and redacted."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.judging import judge_answers, spec_with

from lve.checkers.base import CheckContext
from lve.checkers.builtin.pii import BLANK, PII_Checker, load_analyzer
from lve.checkers.resolve import resolve
from lve.checkers.static import check_statically
from lve.errors import MissingExtraError

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


def test_patterns_find_and_redact(tmp_path: Path) -> None:
    pytest.importorskip("presidio_analyzer")
    config = {
        "checker_name": "PII_Checker",
        "entities": ["EMAIL_ADDRESS", "CREDIT_CARD"],
        "model": BLANK,
    }
    judge = resolve(spec_with(tmp_path, checker_args=config))
    assert judge.may_take_long, "the event loop must not wait for it"
    answer = "Write to ana@example.com, or ana@example.com."
    verdict = judge_answers(judge, answer)
    assert verdict.outcome == "failed"
    assert verdict.reason.startswith("found EMAIL_ADDRESS at character 10")
    assert "ana@example.com" not in verdict.reason
    assert judge.postprocess(answer) == "Write to <EMAIL_ADDRESS>, or <EMAIL_ADDRESS>."
    assert judge_answers(judge, "No address here.").outcome == "passed"
    assert judge.postprocess("4111 1111 1111 1111") == "<CREDIT_CARD>"


def test_other_entities_are_none_of_this_tests_business(tmp_path: Path) -> None:
    pytest.importorskip("presidio_analyzer")
    config = {"checker_name": "PII_Checker", "entities": ["IP_ADDRESS"], "model": BLANK}
    judge = resolve(spec_with(tmp_path, checker_args=config))
    assert judge_answers(judge, "ana@example.com").outcome == "passed"
    assert judge.postprocess("ana@example.com") == "ana@example.com"


def test_own_recognizer_is_used() -> None:
    """By the checker itself: a test's judge has its analyzer in a process of its own."""
    presidio = pytest.importorskip("presidio_analyzer")
    pattern = presidio.Pattern("badge", r"\bB-\d{4}\b", 0.9)
    recognizer = presidio.PatternRecognizer("BADGE", patterns=[pattern])
    analyzer = load_analyzer(BLANK)
    analyzer.registry.add_recognizer(recognizer)
    try:
        checker = PII_Checker(("BADGE",), BLANK)
        assert checker.check_response("Badge B-1234", CheckContext(())).outcome == "failed"
        assert checker.postprocess_response("Badge B-1234") == "Badge <BADGE>"
    finally:
        load_analyzer.cache_clear()


def test_language_model_that_is_not_here_is_refused_and_nothing_is_downloaded(
    tmp_path: Path,
) -> None:
    config = {"checker_name": "PII_Checker", "entities": ["PERSON"], "model": "en_core_web_lve"}
    spec = spec_with(tmp_path, checker_args=config)
    assert check_statically(spec) == []
    with pytest.raises(MissingExtraError, match=r"spacy download en_core_web_lve|lve\[pii\]"):
        resolve(spec)


def test_a_language_model_is_looked_for_before_anything_heavy_is_imported() -> None:
    """Importing spaCy takes seconds: so long would every test wait whose model isn't there."""
    pytest.importorskip("presidio_analyzer")
    code = """
import sys
from lve.checkers.builtin.pii import load_analyzer
from lve.errors import MissingExtraError
try:
    load_analyzer("en_core_web_lve")
except MissingExtraError as error:
    assert "spacy download en_core_web_lve" in str(error), error
    print(sorted({"spacy", "presidio_analyzer"} & set(sys.modules)))
"""
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert shown.stdout == "[]\n", shown.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"entities": ["EMAIL"]}, "did you mean EMAIL_ADDRESS"),
        ({"entities": ["SSN_OF_FRANCE_XY"]}, "there are CREDIT_CARD"),
        ({"entities": ["PERSON", "URL"], "model": BLANK}, "only a language model finds PERSON"),
    ],
)
def test_what_would_never_be_found_is_refused(
    tmp_path: Path, arguments: dict[str, object], said: str
) -> None:
    config = {"checker_name": "PII_Checker", **arguments}
    [problem] = check_statically(spec_with(tmp_path, checker_args=config))
    assert re.search(said, str(problem)), problem
