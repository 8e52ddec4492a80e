"""Compares imported tests with OpenAI's evals, which asks and judges with the same samples in its
box."""

from __future__ import annotations

import json
import string
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle, islice
from pathlib import Path

from lve.data_classes import dataclass, field
from lve.errors import LveError
from lve.escape import excerpt
from lve.extensions.importing.boxes.box import TOOLS, BoxError, BoxOptions, run_in_box
from lve.extensions.importing.openai_evals.registry import NoCounterpartError
from lve.extensions.importing.openai_evals.samples import turns_of
from lve.extensions.importing.proof import (
    CHATS,
    Proof,
    ProvenTests,
    Written,
    answers_of,
    object_of,
    written_tests,
)
from lve.json_types import JsonObject, JsonValue
from lve.spec.spec import Instance

TOOL = TOOLS["openai-evals"]
PROGRAM = Path(__file__).with_name("original.py")
TESTS = 50
"""Tests for which the package is started once."""
EACH_S = 60
"""Seconds for one test."""
CHOICES = 4
"""Choices of a judge of which replies are made."""
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


Origin = tuple[str, Sequence[JsonObject]]
"""The name of the eval of which a test was made, and the samples of its first rows, as their file
has them."""


@dataclass(frozen=True, slots=True)
class EvalTests(ProvenTests):
    """Imported tests of a registry."""

    registry: Path = Path()
    origins: Mapping[str, Origin] = field(default_factory=dict)
    """Folder of a test -> what it was made of."""
    options: BoxOptions = field(default_factory=BoxOptions)

    def proofs(self, folder: Path) -> Iterator[tuple[str, Proof]]:
        homes = iter(self.origins)
        while batch := list(islice(homes, TESTS)):
            proofs = {home: Proof(tool={"tool": TOOL.name}) for home in batch}
            tests = [
                Comparison(written, self.origins[home], proofs[home])
                for home, written in written_tests(folder, proofs)
            ]
            self._compare(tests)
            yield from proofs.items()

    def _compare(self, tests: Sequence[Comparison]) -> None:
        """Run the package, and compare what it says of each test."""
        requests = [test.request() for test in tests]
        request = {"registry": str(self.registry), "tests": requests, "each_s": EACH_S}
        why = "ended without an end"
        try:
            for line in run_in_box(TOOL, PROGRAM, request, self.options, folder=self.registry):
                number = line.get("of")
                if line.get("kind") == "tool":
                    for test in tests:
                        version = excerpt(str(line.get("version")), 40)
                        test.proof.tool = {**test.proof.tool, "version": version}
                elif isinstance(number, int) and 0 <= number < len(tests):
                    tests[number].compare(line)
        except BoxError as error:
            why = str(error)
        for test in tests:
            if not test.is_done:
                test.proof.why = test.proof.why or f"evals {why}"


class Comparison:
    """Compares a test with what the package says of it."""

    def __init__(self, test: Written, origin: Origin, proof: Proof) -> None:
        """Args:
        test: the written test.
        origin: what it was made of.
        proof: gets what is found.
        """
        self.proof, self.is_done = proof, False
        self._test, (self._name, self._samples) = test, origin
        [check] = test.spec.checkers
        self._choices: Mapping[str, float] = check.args.get("choices", {})
        self._pairs = [
            graded_pairs(sample, [*self._choices]) if self._choices else pairs_of(sample)
            for sample in self._samples
        ]

    def request(self) -> dict[str, object]:
        """Return what the package is asked about the test, in JSON."""
        return {"eval": self._name, "rows": [*zip(self._samples, self._pairs, strict=True)]}

    def compare(self, line: JsonObject) -> None:
        """Compare a line of the package, which may be anything."""
        row, kind = line.get("row"), line.get("kind")
        if kind in ("done", "failed"):
            self.is_done = True
            self.proof.why = excerpt(str(line.get("why")), 300) if kind == "failed" else ""
        elif isinstance(row, int) and 0 <= row < len(self._pairs):
            try:
                self._compare(row, line)
            except LveError as error:
                self.proof.differences.append({"row": row, "why": str(error)})

    def _compare(self, row: int, line: JsonObject) -> None:
        instance, of = self._test.instances[row], {"row": row}
        match line:
            case {"kind": "missing"}:
                self.proof.differences.append({**of, "why": "evals has no such sample"})
            case {"kind": "prompt"}:
                self._prompt({**of}, instance, line)
            case {"kind": "score", "number": int(n)} if 0 <= n < len(self._pairs[row]):
                answer, reply = self._pairs[row][n]
                self._score({**of, "answer": answer, "reply": reply}, instance, line)

    def _prompt(self, of: JsonObject, instance: Instance, line: JsonObject) -> None:
        self.proof.rows += 1
        sent = line.get("asked")
        expected = [_messages(each) for each in sent] if isinstance(sent, list) else []
        self.proof.compare_prompts(of, self._test.prompts(instance, CHATS), expected)
        args, sent_args = map(_compared, (self._test.spec.model_args, object_of(line, "args")))
        if args != sent_args:
            self.proof.differences.append({**of, "asked": args, "expected": sent_args})

    def _score(self, of: JsonObject, instance: Instance, line: JsonObject) -> None:
        expected = line.get("score")
        if expected is None and self._choices:  # of a template that only counts choices
            expected = self._choices.get(str(line.get("choice")), min(self._choices.values()))
        if not isinstance(expected, int | float):
            self.proof.not_compared += 1
            return
        verdict, questions = self._test.judged(instance, str(of["answer"]), str(of["reply"]))
        score = verdict.score if self._choices else float(verdict.passed)
        if verdict.outcome == "error":
            of, score = {**of, "error": verdict.reason}, None
        self.proof.compare_score(of, score, expected)
        asked = line.get("asked")
        self.proof.compare_prompts(of, questions, asked if isinstance(asked, list) else [])


def _compared(args: Mapping[str, JsonValue]) -> JsonObject:
    """Return the args that evals' classes choose, not its completion functions."""
    return {key: args[key] for key in ("temperature", "max_tokens") if key in args}


def _messages(sent: JsonValue) -> JsonValue:
    """Return messages as lve sends them: without names, of which the import says so."""
    try:
        return [{"role": role, "content": text} for role, text in turns_of(sent)]
    except NoCounterpartError:
        return sent


def pairs_of(sample: JsonObject) -> list[tuple[str, str]]:
    """Return scripted answers to a sample: right ones, near misses, nothing, the question; each
    with the reply of a judge, who isn't asked."""
    ideal = sample.get("ideal")
    ideals = [str(text) for text in ideal] if isinstance(ideal, list) else [str(ideal)]
    first = ideals[0]
    answers = [
        *(*answers_of(first), *islice(ideals, 1, 4), first.lower(), first.swapcase()),
        *(f"{first}.", f"\t{first}", "".join(first.split()), first.translate(_NO_PUNCTUATION)),
        *(f"{first} {first}", f"The {first}!", f'"{first}"', _question(sample), *_as_json(first)),
    ]
    return [(answer, "") for answer in dict.fromkeys(answers)]


def _as_json(text: str) -> Iterator[str]:
    """Yield other JSON texts of the same value, and of similar ones."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return
    yield from (json.dumps(value, indent=1), json.dumps([value]), "null")
    if isinstance(value, dict):
        backwards = dict(reversed(value.items()))
        yield from map(json.dumps, ({**value, "more": 1}, backwards))


def graded_pairs(sample: JsonObject, choices: Sequence[str]) -> list[tuple[str, str]]:
    """Return scripted answers to a sample, and what the judge says of each."""
    answers = [*answers_of(sample.get("ideal", "Yes"))[:2], "", _question(sample), "{x} {{y}}"]
    replies = ["", "Undecided.", "\n".join(choices), " ".join(choices)]
    for choice in islice(choices, CHOICES):
        replies += [choice, f"It is so.\n\n{choice}\n", f"{choice}.\nBecause it is.", f'"{choice}"']
        replies += [
            choice.lower(),
            f"So {choice}, or not.\nWell",
            f"**{choice}** it is",
            choice[:1],
        ]
    return [*zip(cycle(answers), dict.fromkeys(replies), strict=False)]


def _question(sample: JsonObject) -> str:
    """Return the last message of a sample, which has some."""
    return turns_of(sample.get("input"))[-1].content
