"""Cases of answers in several turns and runs: `tests/cases/turns`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import pytest
from support.judging import judge_of, transcript

from lve.checkers.builtin_checker import ExampleAnswers
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.judge import Judge

CASES = Path(__file__).parents[1] / "cases" / "turns"
TURNS = ("first", "second")


def groups(name: str) -> Iterator[Any]:
    """Yield the groups of cases of a file as parameters."""
    for number, group in enumerate(json.loads((CASES / f"{name}.json").read_text("utf-8"))):
        yield pytest.param(group, id=f"{name}-{number}")


def judge_of_group(group: Mapping[str, Any], folder: Path) -> Judge:
    """Return the judge of a test with the check, the turns and the runs of a group."""
    names = group.get("parameters")
    return judge_of(group["check"], folder, prompt_parameters=names, **prompts(group))


def prompts(group: Mapping[str, Any]) -> dict[str, Any]:
    """Return the prompts of a group's test: some turns in each of its runs."""
    prompt = []
    for name in group.get("turns", TURNS):
        variable = {} if name == "response" else {"variable": name}
        prompt += [{"content": "Say it."}, {"role": "assistant", **variable}]
    runs = group.get("runs", 1)
    if runs == 1:
        return {"prompt": prompt}
    listed = [{"repetitions": runs}] if isinstance(runs, int) else [{"name": one} for one in runs]
    return {"prompt": None, "multi_run_prompt": [{"prompt": prompt, **one} for one in listed]}


class Judging(Protocol):
    """What judges an instance."""

    @property
    def judge(self) -> Callable[[CheckContext], Verdict]: ...


def said(group: Mapping[str, Any], judge: Judging, response: Any) -> Verdict:
    """Return what a judge says of answers as `examples` write them."""
    return judge.judge(said_context(group, response))


def said_context(group: Mapping[str, Any], response: Any) -> CheckContext:
    """Return what checkers see of answers as `examples` write them."""
    responses = response if isinstance(response, list) else [response]
    names = group.get("runs", 1)
    names = [None] * len(responses) if isinstance(names, int) else names
    runs = tuple(transcript(one, name) for one, name in zip(responses, names, strict=True))
    args = group.get("args", {})
    return CheckContext(runs, args, group.get("reference"), args)


def shape_of(answer: ExampleAnswers) -> dict[str, Any]:
    """Return the turns and runs of a test that has such answers."""
    if isinstance(answer, tuple):
        return {"turns": ["response"], "runs": len(answer)}
    return {"turns": ["response"] if isinstance(answer, str) else [*answer]}


def wrong_verdicts(group: Mapping[str, Any], folder: Path) -> list[tuple[Any, str, str]]:
    """Return the answers of a group whose verdict isn't the one they are labelled with."""
    judge = judge_of_group(group, folder)
    return [
        (response, found.outcome, found.reason)
        for outcome in ("passed", "failed", "error")
        for response in group.get(outcome, ())
        if (found := said(group, judge, response)).outcome != outcome
    ]
