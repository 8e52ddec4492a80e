"""What each check says of answers, word for word (tests/cases/reasons).

Other tests ask whether verdicts are right; these hold the reasons that a user reads, and scores.
`make records` writes the files anew: each change of them is meant, and seen in the diff.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.judging import judge_answers, judge_of

from lve.checkers.by_name import load_builtin
from lve.checkers.judge import Judge
from lve.errors import SpecError
from lve.spec.check_names import CHECKS

CASES = Path(__file__).parents[2] / "cases"
REASONS = CASES / "reasons"
ANSWERS: list[str] = json.loads((REASONS / "answers.json").read_text(encoding="utf-8"))
"""Answers of many forms that every check gets, besides those of its own cases."""
NEED_MORE = ("max_toxicity", "max_bias", "scorer", "promptfoo_script")
"""They load a model, a package of another tool, or node."""
_LATE = re.compile(r"was stopped|process ended")
Group = tuple[dict[str, Any], list[str]]


def of_cases() -> Iterator[Group]:
    """Yield the checks of tests/cases/verdicts, each with its answers."""
    for file in sorted((CASES / "verdicts").glob("*.json")):
        for group in json.loads(file.read_text(encoding="utf-8")):
            yield group["check"], [*group.get("passed", ()), *group.get("failed", ())]


def of_examples() -> Iterator[Group]:
    """Yield the examples of every check, with the answers of all."""
    for name in CHECKS:
        kind = load_builtin(name)
        assert kind is not None
        for check, passes, fails in kind.examples:
            own = [answer for answer in (*passes, *fails) if isinstance(answer, str)]
            yield dict(check), [*own, *ANSWERS]


SOURCES = {"cases": of_cases, "examples": of_examples}


def said(judge: Judge, answer: str) -> list[Any]:
    """Return the verdict's outcome and reason, and its score if there is one."""
    verdict = judge_answers(judge, answer)
    score = [] if verdict.score is None else [round(verdict.score, 9)]
    return [verdict.outcome, verdict.reason, *score]


def judges(source: str, folder: Path) -> Iterator[tuple[dict[str, Any], list[str], Judge]]:
    """Yield the checks that need no model and one answer, with their answers."""
    for check, answers in SOURCES[source]():
        if next(iter(check)) in NEED_MORE:
            continue
        try:
            judge = judge_of(check, folder, trusted=True)
        except SpecError:  # it is about several answers
            continue
        if not judge.asks:
            yield check, answers, judge


@pytest.mark.parametrize("source", SOURCES)
def test_reasons(source: str, tmp_path: Path) -> None:
    wrong = []
    for group in json.loads((REASONS / f"{source}.json").read_text(encoding="utf-8")):
        judge = judge_of(group["check"], tmp_path, trusted=True)
        for answer, before in group["says"].items():
            if (now := said(judge, answer)) != before:
                wrong.append((group["check"], answer, before, now))
    assert wrong == []


def main() -> None:
    """Write what the checks say now."""
    for source in SOURCES:
        lines = []
        with tempfile.TemporaryDirectory() as folder:
            for check, answers, judge in judges(source, Path(folder)):
                says = {answer: said(judge, answer) for answer in answers}
                if any(_LATE.search(str(words[1])) for words in says.values()):
                    sys.exit(f"{check}: a judgement was stopped: this machine has no time now")
                rows = ",\n".join(f"  {json.dumps(a)}: {json.dumps(v)}" for a, v in says.items())
                lines.append(f' {{"check": {json.dumps(check)}, "says": {{\n{rows}\n }}}}')
        text = "[\n" + ",\n".join(lines) + "\n]\n"
        (REASONS / f"{source}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
