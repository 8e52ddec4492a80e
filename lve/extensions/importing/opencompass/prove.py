"""Compares imported tests with OpenCompass or AISBench, which render and judge the same rows in
their boxes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from lve.checkers.contract import Verdict
from lve.data_classes import dataclass, field
from lve.errors import LveError
from lve.escape import excerpt
from lve.extension_table import extension_part
from lve.extensions.importing.boxes.box import (
    BoxError,
    BoxOptions,
    Tool,
    run_in_box,
    tool_of_package,
)
from lve.extensions.importing.opencompass.conversion import short
from lve.extensions.importing.opencompass.data_sets import DataSet
from lve.extensions.importing.opencompass.package import NAMES
from lve.extensions.importing.opencompass.rows import TEST, TRAIN, split_names, splits_of
from lve.extensions.importing.proof import (
    CHATS,
    PROVEN_ROWS,
    RATED,
    Proof,
    ProvenTests,
    Written,
    answers_of,
    content_of,
    number_of,
    object_of,
    written_tests,
)
from lve.json_types import JsonObject, JsonValue
from lve.messages import Role
from lve.spec.check_names import SCORER

EACH_S = 120
"""Seconds for one test."""
REPLIES = ("A", "B", "C", "The answer is A.", "CORRECT", "")
"""What judges say."""
DECIMALS = 2
"""Of scores that evaluators round, such as RULER's."""
USUAL = ("score", "accuracy", "pass@1")
"""What OpenCompass calls a score that counts, where it isn't the first one."""
SHARES = ("correct",)
"""What it reports as a share of 1, not of 100."""
_ROLES = {
    "HUMAN": Role.user,
    "BOT": Role.assistant,
    **{role.value.upper(): role for role in (Role.user, Role.assistant, Role.system)},
}


@dataclass(frozen=True, slots=True)
class Configs(ProvenTests):
    """Imported tests of configurations."""

    origins: Mapping[str, DataSet] = field(default_factory=dict)
    """Folder of a test that has rows -> its data set."""
    options: BoxOptions = field(default_factory=BoxOptions)

    def proofs(self, folder: Path) -> Iterator[tuple[str, Proof]]:
        proofs = {
            home: Proof(tool={"tool": _tool(data_set.package).name})
            for home, data_set in self.origins.items()
        }
        written = dict(written_tests(folder, proofs))
        lines: dict[str, list[JsonObject]] = {}
        for package in dict.fromkeys(self.origins[home].package for home in written):
            homes = [home for home in written if self.origins[home].package == package]
            lines |= self._lines(package, folder, {home: written[home] for home in homes}, proofs)
        for home, proof in proofs.items():
            if home in written:
                Comparison(written[home], proof).compare(lines[home])
            yield home, proof

    def _lines(
        self,
        package: str,
        folder: Path,
        written: Mapping[str, Written],
        proofs: Mapping[str, Proof],
    ) -> dict[str, list[JsonObject]]:
        """Return what a package says of each of its tests, by their folders."""
        homes = list(written)
        tool = _tool(package)
        host = extension_part("program of loaders").with_name("host.py")
        request = {
            "package": package,
            "tests": [self._request(folder, home, written[home]) for home in homes],
            "host": str(host),
            "replies": REPLIES,
            "rated": RATED,
            "each_s": EACH_S,
        }
        lines: dict[str, list[JsonObject]] = {home: [] for home in homes}
        version: JsonObject = {}
        why = f"{NAMES[package]} has ended without an end"
        place = folder.absolute()
        try:
            program = host.with_name("original.py")
            for line in run_in_box(tool, program, request, self.options, folder=place):
                number = line.get("of")
                if line.get("kind") == "tool":
                    version = {"version": excerpt(str(line.get("version")), 40)}
                elif line.get("kind") == "end":
                    why = ""
                elif isinstance(number, int) and 0 <= number < len(homes):
                    lines[homes[number]].append(line)
        except BoxError as error:
            why = f"{NAMES[package]} {error}"
        for home in homes:
            proofs[home].tool = {**proofs[home].tool, **version}
            proofs[home].why = proofs[home].why or why
        return lines

    def _request(self, folder: Path, home: str, test: Written) -> JsonObject:
        data_set = self.origins[home]
        names = split_names(data_set)
        own = {names[split]: file for file, split in splits_of(data_set).items()}
        files = {names[TRAIN]: own[names[TEST]], **own}
        answers = [answers_of(each.reference) for each in islice(test.instances, PROVEN_ROWS)]
        inferencer = short(data_set.part("infer_cfg").get("inferencer"))
        return {
            "home": str((folder / home).absolute()),
            "config": data_set.config,
            "files": dict(files),
            "inferencer": inferencer,
            "answers": [list(each) for each in answers],
        }


def _tool(package: str) -> Tool:
    tool = tool_of_package(package)
    assert tool is not None
    return tool


class Comparison:
    """Compares a test with what OpenCompass says of it."""

    def __init__(self, test: Written, proof: Proof) -> None:
        """Args:
        test: the written test.
        proof: gets what is found.
        """
        self._test, self._proof = test, proof
        self._instances = list(islice(test.instances, PROVEN_ROWS))
        self._answers = [answers_of(each.reference) for each in self._instances]
        self._is_scorer = [config.name for config in test.spec.checkers] == [SCORER]
        self._verdicts: dict[int, list[Verdict]] = {}

    def compare(self, lines: Sequence[JsonObject]) -> None:
        """Compare all that the tool has said, which may be anything."""
        compare = {
            "prompts": self._prompts,
            "chosen": self._choice,
            "score": self._score,
            "whole": self._whole,
        }
        self._proof.rows = len(self._instances)
        for line in lines:
            kind = str(line.get("kind"))
            if kind == "failed":
                self._proof.why = self._proof.why or excerpt(str(line.get("why")), 300)
            elif kind in compare:
                try:
                    compare[kind](line)
                except LveError as error:
                    of: JsonObject = {key: line.get(key) for key in ("row", "number")}
                    self._proof.differences.append({**of, "why": str(error)})

    def _prompts(self, line: JsonObject) -> None:
        row, model = _index(line, "row", len(self._instances)), str(line.get("model"))
        prompts = line.get("prompts")
        if row is None or not isinstance(prompts, list) or model not in ("text", "chat"):
            return
        of: JsonObject = {"row": row, "model": model}
        sent = [_messages(each) for each in prompts] if model == CHATS else prompts
        self._proof.compare_prompts(of, self._test.prompts(self._instances[row], model), sent)

    def _choice(self, line: JsonObject) -> None:
        row, number = _index(line, "row", len(self._instances)), _index(line, "number", len(RATED))
        if row is None or number is None:
            return
        rated = RATED[number]
        count = len(self._test.conversations(self._instances[row], "text"))
        values: list[JsonValue] = [
            rated[(label + row) % len(rated)] - label // len(rated) for label in range(count)
        ]
        verdict = self._test.rated(self._instances[row], values)
        self._verdicts.setdefault(number, []).append(verdict)
        chosen = verdict.labels[1] if verdict.labels else None
        of: JsonObject = {"row": row, "rated": values}
        self._proof.compare_score(of, chosen, line.get("label"))

    def _score(self, line: JsonObject) -> None:
        row, number = _index(line, "row", len(self._instances)), self._number(line)
        name, expected = self._metric(line)
        if row is None or number is None or expected is None:
            self._proof.not_compared += 1
            return
        answer = self._answers[row][number]
        verdict, questions = self._judged(row, number)
        of: JsonObject = {"row": row, "answer": answer, "metric": name}
        if verdict.outcome == "error":
            of = {**of, "error": verdict.reason}
        self._proof.compare_score(of, _rounded(self._percent(verdict), expected), expected)
        judge = line.get("asked")
        if isinstance(judge, list):
            expected_questions = [_messages(each) for each in judge]
            self._proof.compare_prompts({**of, "model": "judge"}, questions, expected_questions)

    def _judged(self, row: int, number: int) -> tuple[Verdict, list[JsonValue]]:
        reply = REPLIES[number % len(REPLIES)]
        return self._test.judged(self._instances[row], self._answers[row][number], reply)

    def _whole(self, line: JsonObject) -> None:
        number = self._number(line)
        name, expected = self._metric(line)
        if number is None or expected is None or self._is_scorer:
            self._proof.not_compared += 1  # a scorer of all rows is the tool's own class
            return
        verdicts = self._verdicts.get(number)
        if verdicts is None:
            verdicts = [self._judged(row, number)[0] for row in range(len(self._instances))]
        values = [self._percent(verdict) for verdict in verdicts]
        mean = None if None in values else sum(map(number_of, values)) / max(len(values), 1)
        of: JsonObject = {"rows": len(values), "number": number, "metric": name}
        self._proof.compare_score(of, _rounded(mean, expected), expected)

    def _metric(self, line: JsonObject) -> tuple[str, JsonValue]:
        """Return name and value of what OpenCompass reports first, or what the test names."""
        scores = object_of(line, "scores")
        own = [config.args.get("metric") for config in self._test.spec.checkers]
        usual = [name for name in USUAL if name in scores and not self._is_scorer]
        name = next((str(each) for each in (*own, *usual, *scores) if each), "")
        value = scores.get(name)
        is_share = name in SHARES and isinstance(value, int | float)
        return name, 100 * number_of(value) if is_share else value

    def _percent(self, verdict: Verdict) -> float | None:
        """Return a score as OpenCompass reports it; None of an error."""
        if verdict.outcome == "error":
            return None
        if verdict.score is None or len(self._test.spec.checkers) > 1:  # any of them may pass
            return 100 * float(verdict.passed)
        return verdict.score if self._is_scorer else 100 * verdict.score

    def _number(self, line: JsonObject) -> int | None:
        return _index(line, "number", len(self._answers[0]) if self._answers else 0)


def _rounded(value: float | None, expected: JsonValue) -> float | None:
    """Return a score as OpenCompass' evaluators round theirs, if it is as they have it then."""
    if isinstance(value, float) and expected == round(value, DECIMALS) != round(value):
        return round(value, DECIMALS)
    return value


def _index(line: JsonObject, key: str, end: int) -> int | None:
    value = line.get(key)
    return value if isinstance(value, int) and 0 <= value < end else None


def _messages(prompt: JsonValue) -> JsonValue:
    """Return what a chat model of OpenCompass gets as messages."""
    if isinstance(prompt, str):
        return [{"role": Role.user.value, "content": prompt}]
    messages: list[JsonValue] = []
    for each in prompt if isinstance(prompt, list) else ():
        if isinstance(each, dict):
            text = each.get("prompt", each.get("content"))
            role = _ROLES.get(str(each.get("role")).upper(), Role.user).value
            messages.append({"role": role, "content": content_of(text)})
    return messages
