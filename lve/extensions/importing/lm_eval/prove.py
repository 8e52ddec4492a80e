"""Compares imported tests with lm-evaluation-harness: prompts byte for byte, scores of scripted
answers one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.resolve import resolve
from lve.data.instances import iter_instances
from lve.data_classes import dataclass, field
from lve.extension_table import extension_part
from lve.extensions.importing.lm_eval.aggregations import PASS_RATE
from lve.extensions.importing.lm_eval.records import Task, texts_of
from lve.json_types import JsonObject, JsonValue
from lve.messages import Completion, Message, Role, Transcript
from lve.models.scoring import ScoredToken
from lve.prompts.conversation import Conversation
from lve.prompts.plan import build_plan
from lve.settings.model_settings import ModelSettings
from lve.spec.load import load_spec
from lve.spec.spec import Instance

MAX_DIFFERENCES = 20
PRECISION = 1e-9
"""How far apart metrics over all rows may be: sums of other orders."""
TEXTS = ModelSettings(kind="lm")


@dataclass(slots=True)
class Proof:
    """What a comparison has found."""

    prompts: int = 0
    scores: int = 0
    not_compared: int = 0
    """Scores of metrics that aren't computed for each answer in the same way."""
    differences: list[JsonObject] = field(default_factory=list)

    def to_json(self) -> JsonObject:
        """Return it as `import.json` has it."""
        return {
            "prompts": self.prompts,
            "scores": self.scores,
            "scores_not_compared": self.not_compared,
            "differences": self.differences[:MAX_DIFFERENCES],
            "number_of_differences": len(self.differences),
        }


def prove(folder: Path, scores: Mapping[str, str], task: Task) -> Proof:
    """Return what differs between a written test and the harness.

    Args:
        folder: the folder of the test.
        scores: its metrics and filters, as scores are named -> what reports have of them.
        task: the task, with the dump's lines of rows and scripted answers.

    Raises:
        SpecError: the test is invalid.
    """
    spec = load_spec(folder)
    plan, judge = build_plan(spec, model=TEXTS), resolve(spec)
    instances = {
        each.parameters.get("doc"): each
        for each in iter_instances(spec)
        if isinstance(each, Instance)
    }
    proof = Proof()
    by_doc = {row["doc"]: row for row in task.rows}
    numbers = [line["doc"] for line in task.scripted if isinstance(line.get("doc"), int)]
    verdicts: dict[str, list[Verdict]] = {}
    is_whole = True
    for doc in dict.fromkeys(numbers):
        if (instance := instances.get(doc)) is None or doc not in by_doc:
            is_whole = False
            continue
        conversations = plan.preview(instance)
        asked = [conversation.prompt for conversation in conversations]
        expected = _asked(by_doc[doc])
        proof.prompts += len(expected)
        if asked != expected:
            proof.differences.append({"doc": doc, "asked": asked, "expected": expected})
        for line in task.scripted:
            if line.get("doc") == doc:
                context = _context(instance, conversations, line, by_doc[doc])
                verdict = judge.judge(context)
                verdicts.setdefault(str(line.get("number")), []).append(verdict)
                for name in scores:
                    _compare(proof, name, line, verdict.passed)
    for line in task.aggregated if is_whole else ():
        for name, score in scores.items():
            _compare_whole(proof, line, (name, score), verdicts.get(str(line.get("number")), []))
    return proof


def _asked(row: JsonObject) -> list[str]:
    """Return the texts that the harness sends for a row."""
    if "prompt" in row or "text" in row:
        return [str(row.get("prompt", row.get("text")))]
    contexts, texts = texts_of(row, "contexts"), texts_of(row, "continuations")
    befores = contexts if len(contexts) > 1 else [contexts[0]] * len(texts)
    return [before + text for before, text in zip(befores, texts, strict=True)]


def _context(
    instance: Instance,
    conversations: Sequence[Conversation],
    line: JsonObject,
    row: JsonObject,
) -> CheckContext:
    rated = line.get("rated")
    if isinstance(rated, list):
        texts = [str(row["text"])] if "text" in row else texts_of(row, "continuations")
        pairs = zip(conversations, rated, texts, strict=False)
        runs = tuple(_rated(conversation, value, text) for conversation, value, text in pairs)
    else:
        text = str(line.get("answer", ""))
        messages = (Message(str(conversations[0].prompt)), Message(text, Role.assistant))
        runs = (Transcript(messages, (Completion(text),), None, (1,)),)
    return CheckContext(runs, instance.parameters, instance.reference, instance.args)


def _rated(conversation: Conversation, value: JsonValue, text: str) -> Transcript:
    """Return a run in which a model rates what follows the context with one log-probability."""
    whole = str(conversation.prompt)
    start = len(whole) - len(text)
    tokens = [ScoredToken(whole[:start], None, 0), ScoredToken(text, _number(value), start)]
    if not start:  # of a text without anything before it, the first token isn't rated
        tokens = [ScoredToken("", None, 0), ScoredToken(text, _number(value), 0)]
    completion = Completion("", logprobs=[token.to_json() for token in tokens])
    messages = (Message(whole), Message("", Role.assistant))
    return Transcript(messages, (completion,), conversation.name, (1,))


def _number(value: JsonValue) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _compare(proof: Proof, name: str, line: JsonObject, passed: bool) -> None:
    scores = line.get("scores")
    score = scores.get(name) if isinstance(scores, Mapping) else None
    if score not in (0, 1):
        proof.not_compared += 1
        return
    proof.scores += 1
    if bool(score) != passed:
        shown: dict[str, JsonValue] = {"doc": line.get("doc"), "metric": name, "expected": score}
        shown |= {key: line[key] for key in ("answer", "rated") if key in line}
        proof.differences.append({**shown, "passed": passed})


def _compare_whole(
    proof: Proof, line: JsonObject, names: tuple[str, str], verdicts: Sequence[Verdict]
) -> None:
    """Compare a metric over all rows, of one scripted answer to each."""
    name, score = names
    expected = _object(line, "scores").get(name)
    value = _over_all(score, verdicts)
    if not isinstance(expected, float) or value is None:
        proof.not_compared += score != PASS_RATE
        return
    proof.scores += 1
    if abs(value - expected) > PRECISION * max(1.0, abs(expected)):
        shown = {"metric": name, "number": line.get("number"), "expected": expected}
        proof.differences.append({**shown, "value": value})


def _object(line: JsonObject, key: str) -> JsonObject:
    value = line.get(key)
    return value if isinstance(value, dict) else {}


def _over_all(score: str, verdicts: Sequence[Verdict]) -> float | None:
    if score == PASS_RATE or not verdicts:
        return None
    parts = [verdict.parts[score] for verdict in verdicts if verdict.parts]
    if parts:
        return cast("float | None", extension_part("metric over all rows")(score, parts))
    pairs = Counter(verdict.labels for verdict in verdicts if verdict.labels)
    metric = extension_part("metrics of labels")(pairs).get(score)
    return cast("float", metric(pairs)) if metric else None
