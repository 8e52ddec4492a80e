"""Personal data found by Presidio's patterns and by a recognizer of this test, and redacted."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from checkers.builtin.network_record import assert_no_network, recorded_children
from support.judging import judge_answers, spec_with
from support.packages import needs

from lve.checkers.judge import Judge
from lve.checkers.resolve import resolve
from lve.checkers.static import check_statically
from lve.errors import MissingExtraError
from lve.extensions.leaks.pii_checker import BLANK, ENTITIES, load_analyzer, unused_packages


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What the process of the judges asks of the network."""
    with recorded_children(tmp_path_factory.mktemp("recorder")) as log:
        yield log


@pytest.fixture(scope="module")
def judge_of(
    network: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., Judge]]:
    """Make judges that share a process, as those of a session do."""
    made: list[Judge] = []

    def make(*entities: str) -> Judge:
        config = {"checker_name": "PII_Checker", "entities": [*entities], "model": BLANK}
        made.append(resolve(spec_with(tmp_path_factory.mktemp("pii"), checker_args=config)))
        return made[-1]

    yield make
    for judge in made:
        judge.stop()


@needs("presidio_analyzer")
def test_patterns_find_and_redact(judge_of: Callable[..., Judge]) -> None:
    judge = judge_of("EMAIL_ADDRESS", "CREDIT_CARD")
    assert judge.may_take_long, "the event loop must not wait for it"
    answer = "Write to ana@example.com, or ana@example.com."
    verdict = judge_answers(judge, answer)
    assert verdict.outcome == "failed"
    assert verdict.reason.startswith("found EMAIL_ADDRESS at character 10")
    assert "ana@example.com" not in verdict.reason
    assert judge.postprocess(answer) == "Write to <EMAIL_ADDRESS>, or <EMAIL_ADDRESS>."
    assert judge_answers(judge, "No address here.").outcome == "passed"
    assert judge.postprocess("4111 1111 1111 1111") == "<CREDIT_CARD>"


@needs("presidio_analyzer")
def test_other_entities_are_none_of_this_tests_business(judge_of: Callable[..., Judge]) -> None:
    judge = judge_of("IP_ADDRESS")
    assert judge_answers(judge, "ana@example.com").outcome == "passed"
    assert judge.postprocess("ana@example.com") == "ana@example.com"


@needs("presidio_analyzer")
def test_addresses_in_an_answer_are_found_without_the_network(
    judge_of: Callable[..., Judge], network: Path
) -> None:
    judge = judge_of("EMAIL_ADDRESS", "URL")
    answer = "ana@lve-tests.co.uk or https://lve-tests.co.uk/a"
    assert judge_answers(judge, answer).outcome == "failed"
    assert judge.postprocess(answer) == "<EMAIL_ADDRESS> or <URL>"
    assert_no_network(network, "presidio_analyzer")


@needs("presidio_analyzer")
def test_own_recognizer_is_used_and_nothing_heavy_is_imported() -> None:
    """By the checker itself: a test's judge has its analyzer in a process of its own. spaCy and
    Presidio would import torch and transformers, which takes much longer than all the rest."""
    code = """
import sys
from lve.checkers.base import CheckContext
from lve.extensions.leaks.pii_checker import BLANK, PII_Checker, load_analyzer
analyzer = load_analyzer(BLANK)
print(sorted({"torch", "transformers"} & set(sys.modules)))
from presidio_analyzer import Pattern, PatternRecognizer
pattern = Pattern("badge", r"\\bB-\\d{4}\\b", 0.9)
analyzer.registry.add_recognizer(PatternRecognizer("BADGE", patterns=[pattern]))
checker = PII_Checker(("BADGE",), BLANK)
print(checker.check_response("Badge B-1234", CheckContext(())).outcome)
print(checker.postprocess_response("Badge B-1234"))
"""
    assert _printed(code) == "[]\nfailed\nBadge <BADGE>\n"


@pytest.mark.parametrize(
    ("required", "is_hidden"),
    [("", True), ("spacy>=3.7,<3.8", True), ("spacy-curated-transformers>=0.2", False)],
)
def test_torch_is_imported_if_a_language_model_may_need_it(
    required: str, is_hidden: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "en_core_web_lve-3.0.dist-info"
    folder.mkdir()
    requires = f"Requires-Dist: {required}\n" if required else ""
    (folder / "METADATA").write_text(f"Name: en_core_web_lve\nVersion: 3.0\n{requires}")
    (folder / "entry_points.txt").write_text("[spacy_models]\nen_core_web_lve = en_core_web_lve\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert ("torch" in unused_packages()) is is_hidden
    assert "transformers" in unused_packages()


def _printed(code: str) -> str:
    """Return what a new process prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_language_model_that_is_not_here_is_refused_and_nothing_is_downloaded(
    tmp_path: Path,
) -> None:
    config = {"checker_name": "PII_Checker", "entities": ["PERSON"], "model": "en_core_web_lve"}
    spec = spec_with(tmp_path, checker_args=config)
    assert check_statically(spec) == []
    with pytest.raises(MissingExtraError, match=r"spacy download en_core_web_lve|lve\[pii\]"):
        resolve(spec)


@needs("presidio_analyzer")
def test_a_language_model_is_looked_for_before_anything_heavy_is_imported() -> None:
    """Importing spaCy takes seconds: so long would every test wait whose model isn't there."""
    code = """
import sys
from lve.extensions.leaks.pii_checker import load_analyzer
from lve.errors import MissingExtraError
try:
    load_analyzer("en_core_web_lve")
except MissingExtraError as error:
    assert "spacy download en_core_web_lve" in str(error), error
    print(sorted({"spacy", "presidio_analyzer"} & set(sys.modules)))
"""
    assert _printed(code) == "[]\n"


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


@needs("presidio_analyzer")
def test_presidio_finds_each_entity_that_a_test_may_name() -> None:
    assert set(load_analyzer(BLANK).get_supported_entities("en")) >= ENTITIES
