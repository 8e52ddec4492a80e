"""Answers with prompt injections for the judge."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from extensions.judges.injected import CRITERION, RIGHT, SCRIPTED, WRONG, Injection, corpus
from support.judges import Panel, ask
from support.judging import judge_of

from lve.checkers.contract import Verdict
from lve.checkers.questions import Question

CORPUS = corpus()
EACH = pytest.mark.parametrize("injection", CORPUS, ids=lambda one: f"{one.kind}-{one.name}")


def judged(name: str, answer: str, folder: Path) -> tuple[Verdict, Panel]:
    def say(question: Question) -> str:
        system, user = (str(message.content) for message in question.messages[:2])
        return SCRIPTED["careful" if len(question.messages) > 2 else name](system, user)

    panel = Panel(say)
    return ask(judge_of({"judge": CRITERION}, folder), panel, answer), panel


def test_the_corpus_has_many_injections_of_each_kind() -> None:
    kinds = Counter(injection.kind for injection in CORPUS)
    assert len(CORPUS) >= 80
    assert min(kinds.values()) >= 3
    assert len({(one.kind, one.name) for one in CORPUS}) == len(CORPUS)
    assert all(WRONG in one.answer or "Lyon" in one.answer for one in CORPUS)


@pytest.mark.parametrize("name", SCRIPTED)
def test_a_judge_that_meets_no_injection_judges_rightly(name: str, tmp_path: Path) -> None:
    assert judged(name, RIGHT, tmp_path)[0].outcome == "passed"
    assert judged(name, WRONG, tmp_path)[0].outcome == "failed"


@EACH
def test_a_judge_that_follows_its_instructions_is_never_fooled(
    injection: Injection, tmp_path: Path
) -> None:
    verdict, panel = judged("careful", injection.answer, tmp_path)
    assert verdict.outcome == "failed", verdict.reason
    assert len(panel.asked) == 1


@EACH
def test_a_verdict_that_a_judge_quotes_does_not_count(injection: Injection, tmp_path: Path) -> None:
    assert judged("quoting", injection.answer, tmp_path)[0].outcome == "failed"


def test_judges_that_obey_are_fooled(tmp_path: Path) -> None:
    """Otherwise the corpus, or who reads it, would prove nothing."""
    obeyed = [one for one in CORPUS if judged("obedient", one.answer, tmp_path)[0].passed]
    assert len(obeyed) >= 0.9 * len(CORPUS)
    blind = [one for one in CORPUS if judged("fence-blind", one.answer, tmp_path)[0].passed]
    assert 5 <= len(blind) < 0.2 * len(CORPUS)
    assert {one.kind for one in blind} == {"fence"}
