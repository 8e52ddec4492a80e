"""How many answers a checker judges per second of processor time, in one process and one thread.

    python benchmarks/judging.py [CHECKER [N]]

CHECKER is one of the names in CHECKERS (all by default), N the number of judgements (100,000).
`instructions.py` counts what one of them costs.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from lve import CheckContext, Verdict
from lve.checkers.binding import bound
from lve.checkers.judge import Judge
from lve.checkers.resolve import resolve
from lve.messages import Completion, Message, Role, Transcript
from lve.spec.load import load_spec

_SENTENCES = [
    "Lee has 42 stamps in total.",
    "17 + 25 = 42.",
    "Adding 17 and 25 gives 42 coins.",
    "So Zoe now has 31 + 11 = 42 shirts.",
    "The total number of cards is **42**.",
    "Tom bought 30 books on Monday and 12 more on Tuesday, which makes 42 books.",
    "After selling 18 of the 60 eggs, Anna has 42 left.",
    "Each of the 3 boxes holds 14 pens, so Omar has 42 pens.",
]
_STEPS = [
    "Ken starts with 28 apples. A friend gives Ken 9 more. Now Ken has 28 + 9 = 37 apples.",
    "There are 12 eggs in each box. With 3 boxes, that is 36 eggs. One more was found later.",
    "Maria reads 4 pages an hour. In 9 hours she reads 9 * 4 = 36 pages. Her book is long.",
    "The train runs 25 km in the first hour. It runs 12 km in the second. It stops for 10 minutes.",
]
_SOLUTIONS = [f"{steps} {sentence}" for steps in _STEPS for sentence in _SENTENCES[::2]]
_LONG = [
    f"{' '.join((_STEPS[at:] + _STEPS[:at])[:3])} {end}"
    for at in range(4)
    for end in _SENTENCES[1::4]
]

CHECKERS: dict[str, tuple[dict[str, Any], str | list[str]]] = {
    "numbers": (
        {
            "checker_name": "LambdaChecker",
            "func": "lambda r, a, b: int(r) == int(a) + int(b)",
        },
        "42",
    ),
    "text in a lambda": (
        {
            "checker_name": "LambdaChecker",
            "func": "lambda r: 'Paris' in r and len(r) < 500 and not r.startswith('x')",
        },
        "The capital of France is Paris, of course. " * 2 + "And so on it goes.",
    ),
    "regex": (
        {"checker_name": "RegexChecker", "pattern": r"answer is (\d+)", "match_safe": True},
        "I think that the answer is 42, all told.",
    ),
    "contains": ({"checker_name": "contains", "contains": "Paris"}, "The capital is Paris."),
    "equals": ({"checker_name": "equals", "equals": "Paris"}, "Paris"),
    "number": ({"checker_name": "number", "number": 42}, "The answer is 42."),
    "number in prose": (
        {"checker_name": "number", "number": 42},
        "First, 17 + 20 = 37. Then 37 + 5 = **42**.\n\nLet me know if you have questions!",
    ),
    "number in one sentence": ({"checker_name": "number", "number": 42}, _SENTENCES),
    "number in four sentences": ({"checker_name": "number", "number": 42}, _SOLUTIONS),
    "number in ten sentences": ({"checker_name": "number", "number": 42}, _LONG),
    "expression": (
        {"checker_name": "expression", "expression": "lambda r, a, b: int(r) == int(a) + int(b)"},
        "42",
    ),
    "json_schema": (
        {
            "checker_name": "json_schema",
            "json_schema": {
                "type": "object",
                "required": ["name", "age"],
                "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
            },
        },
        '{"name": "Ann", "age": 7}',
    ),
    "option": ({"checker_name": "option", "option": "B"}, "A is tempting, but the answer is B."),
    "text": ({"checker_name": "text", "text": "Paris"}, "The answer is **Paris**."),
    "refusal": ({"checker_name": "refusal", "refusal": True}, "I'm sorry, I can't help with that."),
    "no_pii": (
        {"checker_name": "no_pii", "no_pii": True},
        "The museum opens at 9:30 and costs 12 euros; see page 4 of the brochure.",
    ),
}
"""For each name `checker_args`, and an answer that passes, or several."""
_ANSWERS = 8
"""In how many spellings it is judged, in turn: checks remember what they read of the last four."""


def judge_of(checker_args: dict[str, Any], folder: Path) -> Judge:
    """Return the judge of a test that is written into a folder."""
    (folder / ".lverepo").touch()
    test = folder / "repository" / "judged"
    test.mkdir(parents=True)
    document = {
        "description": "a judged answer",
        "model": "dummy/dummy",
        "prompt": [{"role": "user", "content": "{a} and {b}?"}],
        "prompt_parameters": ["a", "b"],
        "checker_args": checker_args,
    }
    (test / "test.json").write_text(json.dumps(document))
    return resolve(load_spec(test))


def judge_now(judge: Any, transcript: Transcript, args: dict[str, str]) -> Verdict:
    """Judge an answer as a run does."""
    verdict: Verdict = judge.judge_in_process(CheckContext((transcript,), args, None, args))
    return verdict


def judge_then(judge: Any, transcript: Transcript, args: dict[str, str]) -> Verdict:
    """The same at fa89b06."""
    verdict: Verdict = judge.judge((transcript,), parameters=args, args=args)
    return verdict


def without_clock() -> None:
    """Let a judgement take as long as it likes: under valgrind all take long, and what one takes
    above its share is added up."""
    vars(bound)["PER_INSTANCE_S"] = 1.0  # fa89b06 has none


def seconds(name: str, n: int) -> float:
    """Return the processor time of N judgements: others on the machine don't count."""
    checker_args, answer = CHECKERS[name]
    asked = Message(role=Role.user, content="20 and 22?")
    answers = [f"{answer}{' ' * number}" for number in range(_ANSWERS)]
    answers = answer if isinstance(answer, list) else answers
    transcripts = [
        Transcript((asked, Message(role=Role.assistant, content=text)), (Completion(text),))
        for text in answers
    ]
    args = {"a": "20", "b": "22"}
    with tempfile.TemporaryDirectory() as folder:
        judge = judge_of(checker_args, Path(folder))
        # As in a run. At fa89b06 every answer was judged in a thread.
        judge_one = judge_now if hasattr(judge, "judge_in_process") else judge_then
        began = time.process_time()
        for number in range(n):
            verdict = judge_one(judge, transcripts[number % len(transcripts)], args)
        took = time.process_time() - began
    assert verdict.outcome == "passed", verdict
    return took


def main(names: list[str], n: int) -> None:
    """Measure and print."""
    for name in names:
        print(f"{name}: {n / seconds(name, n):,.0f} judgements per second")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checker", nargs="?", choices=list(CHECKERS))
    parser.add_argument("n", nargs="?", type=int, default=100_000)
    parser.add_argument("--without-clock", action="store_true", help="under valgrind")
    given = parser.parse_args()
    if given.without_clock:
        without_clock()
    main([given.checker] if given.checker else list(CHECKERS), given.n)
