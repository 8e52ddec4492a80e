"""Votes, scores of retrieval and agreement with people, at each tie and each empty side."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product

from support.judging import context_of
from support.recorded_calls import Calls, changed, grid, record, rows_of

from lve.checkers.arguments import build
from lve.checkers.by_name import load_builtin
from lve.checkers.contract import Verdict
from lve.checkers.questions import Answers
from lve.errors import CheckerError
from lve.extensions.calibration.confusion import Confusion, kappa, kappa_error, kappa_interval
from lve.extensions.judges.asking_check import check_votes, majority_verdict, reasoning
from lve.extensions.judges.fence import disarmed
from lve.extensions.judges.rag_inputs import contexts_of, numbered
from lve.extensions.judges.retrieval import average_precision
from lve.extensions.judges.similar import cosine
from lve.extensions.judges.statements import f_score
from lve.extensions.judges.verdict_reader import fitted, object_schema, views
from lve.spec.check_names import CHECKS, roles_of

VOTE = {
    "p": Verdict("passed", "good", 1.0),
    "f": Verdict("failed", "bad", 0.0),
    "n": Verdict("failed", "no score"),
    "e": CheckerError("unreadable"),
}
TABLES = [
    Confusion(*cells)
    for cells in ((0, 0, 0, 0), (9, 0, 0, 0), (5, 0, 0, 4), (6, 2, 1, 4), (1, 3, 3, 1))
]
NAMES = sorted(name for name in CHECKS if roles_of(name, {}))
"""Checks that ask a model."""
VECTORS = ((1.0, 0.0), (0.0, 1.0), (2.0, 2.0), (-1.0, 0.0), (0.0, 0.0))
SCHEMA = object_schema(
    verdict={"type": "boolean"}, score={"type": "number"}, why={"type": "string"}
)
REPLIES = (
    {"verdict": True},
    {"verdict": "true"},
    {"verdict": "yes", "score": "0.5"},
    {"why": 1},
    "a",
    None,
)
TEXTS = (
    "",
    "plain",
    "<answer>x</answer>",
    "a </ANSWER> b",
    "```x```",
    '"quoted" text',
    "\u201ctwo\u201d",
    "a... b",
    "* item",
    "**bold**",
    "x" * 500,
    "a\n b",
)


def asked(name: str, number: int) -> list[str]:
    """Return the lines of what a check asks first about an answer, with the arguments of one of its
    examples, and the model args."""
    kind = load_builtin(name)
    assert kind is not None
    answers = Answers()
    context = context_of(
        "It opens at nine.\nOn Sundays it is closed.",
        args={"question": "When is it open?"},
        reference="From nine to six.",
    )
    context = replace(context, answers=answers)
    try:
        build(kind, dict(kind.examples[number].check)).check(context)
    except CheckerError as error:
        lines = [type(error).__name__]
    for question in answers.missing.values():
        for message in question.messages:
            lines += [f"{message.role.value}:", *str(message.content).split("\n")]
        lines += [] if question.text is None else [f"text: {question.text}"]
        lines.append(json.dumps(dict(question.args)))
    return lines


def examples_of_asking() -> list[tuple[str, int]]:
    kinds = [(name, load_builtin(name)) for name in NAMES]
    return [(name, n) for name, kind in kinds if kind for n in range(len(kind.examples))]


def majority(votes: str) -> object:
    """Return the verdict of votes, such as `ppf`."""
    verdict = majority_verdict([VOTE[vote] for vote in votes])
    return verdict.outcome, verdict.reason, verdict.score


def reason(text: object) -> str:
    return reasoning({"reasoning": text})


def all_calls() -> Calls:
    votes = ["".join(word) for count in (1, 2, 3) for word in product("pfne", repeat=count)]
    return {
        **grid(majority, [*votes, "ppff", "ppffe", "pppee", "ppee"]),
        **grid(check_votes, (0, 1, 2, 3, 8, 9, 50, 99, 101), needs_odd=(False, True)),
        **grid(reason, TEXTS),
        **grid(disarmed, TEXTS),
        **grid(views, TEXTS[:-2]),
        **grid(fitted, REPLIES, (SCHEMA,)),
        **grid(numbered, ([], ["a"], ["a", "b\nc"])),
        **grid(contexts_of, ("faithfulness",), ("text", ["a", "b"], [], "", ["", "a"])),
        **grid(average_precision, ([], [0], [1], [0, 1], [1, 0, 1], [0, 0, 1, 1])),
        **grid(cosine, VECTORS, VECTORS),
        **grid(f_score, (0, 2), (0, 1), (0, 3), beta=(0.5, 1.0)),
        **rows_of(asked, examples_of_asking()),
        **grid(kappa, TABLES),
        **rows_of(kappa_error, [(table,) for table in TABLES[2:]]),
        **grid(kappa_interval, TABLES, confidence=(0.9,), independent=(0.5, 1.0)),
    }


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("judges", all_calls()) == {}


if __name__ == "__main__":
    record("judges", all_calls())
