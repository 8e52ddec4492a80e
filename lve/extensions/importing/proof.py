"""Compares written tests with what their tool itself says of the same rows and answers: prompts
byte for byte, scores number for number.

The tool runs in its box, this process only reads what it wrote. Models are scripted: answers are
made of the right one, choices and judges get what is listed here.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from lve.checkers.binding.bound import BoundChecker
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.judge import verdict_of
from lve.checkers.questions import Answer, Answers
from lve.checkers.resolve import resolve
from lve.data.instances import iter_instances
from lve.data_classes import dataclass, field
from lve.errors import LveError, TemplateError
from lve.extensions.importing.certificate import add_proof
from lve.importers import Imported
from lve.json_types import JsonObject, JsonValue
from lve.messages import Completion, Message, Role, Transcript
from lve.models.token_scores import ScoredToken
from lve.prompts.conversation import Conversation
from lve.prompts.plan import Plan, build_plan
from lve.settings.model_settings import ModelSettings
from lve.spec.load import load_spec
from lve.spec.spec import Instance

PROVEN_ROWS = 20
"""Rows of a test whose prompts and scores are compared."""
MAX_DIFFERENCES = 20
NO_PROCESS = "checker_process"
"""The code of verdicts that weren't reached, as a process has ended."""
PRECISION = 1e-9
"""How far apart scores may be: sums of other orders."""
MAX_QUESTIONS = 5
"""How often a judge may be asked about an answer."""
FORMS = (
    *("{right}", " {right}\n", "{upper}", "The answer is {right}.", "#### {right}", ""),
    *("First 12, then ({right})", "{cut}", "$1,234.50", "**{right}**"),
)
"""Answers that a model could give, of the right one."""
RATED = ((-1.0, -2.0, -3.0, -4.0), (-9.0, -2.5, -7.25, -1.5), (-3.0, -3.5, -0.5, -8.0))
"""Log-probabilities of choices, repeated for more of them."""
TEXTS, CHATS = "text", "chat"
MODELS = {TEXTS: ModelSettings(kind="lm"), CHATS: ModelSettings()}
"""Models that continue texts, and that answer messages."""


def answers_of(right: object) -> list[str]:
    """Return the scripted answers to a row.

    Args:
        right: its right answer, or a list of these.
    """
    text = str(right[0] if isinstance(right, list) and right else right)
    return [form.format(right=text, upper=text.upper(), cut=text[:-1]) for form in FORMS]


@dataclass(slots=True)
class Proof:
    """What a comparison has found."""

    prompts: int = 0
    scores: int = 0
    not_compared: int = 0
    """Scores that the tool or lve doesn't have for the same."""
    differences: list[JsonObject] = field(default_factory=list)
    tool: JsonObject = field(default_factory=dict)
    """Name and version of the tool."""
    rows: int = 0
    """Rows that were compared."""
    why: str = ""
    """Why something couldn't be compared."""

    def compare_prompts(
        self, of: JsonObject, prompts: Sequence[JsonValue], expected: Sequence[JsonValue]
    ) -> None:
        """Compare what lve and the tool ask for a row."""
        self.prompts += len(expected)
        if list(prompts) != list(expected):
            both: JsonObject = {"asked": list(prompts), "expected": list(expected)}
            self.differences.append({**of, **both})

    def compare_score(self, of: JsonObject, value: JsonValue, expected: JsonValue) -> None:
        """Compare what lve and the tool say of an answer, or of those to all rows."""
        numbers = [v for v in (value, expected) if isinstance(v, int | float)]
        self.scores += 1
        if len(numbers) == 2:
            is_equal = abs(numbers[0] - numbers[1]) <= PRECISION * max(1.0, abs(numbers[1]))
        else:
            is_equal = value == expected
        if not is_equal:
            self.differences.append({**of, "expected": expected, "value": value})

    def to_json(self) -> JsonObject:
        """Return it as `import.json` has it."""
        return {
            **self.tool,
            "rows": self.rows,
            "prompts": self.prompts,
            "scores": self.scores,
            "scores_not_compared": self.not_compared,
            **({"not_compared_because": self.why} if self.why else {}),
            "differences": self.differences[:MAX_DIFFERENCES],
            "number_of_differences": len(self.differences),
        }


@dataclass(frozen=True, slots=True)
class ProvenTests(Imported):
    """Imported tests, which can be compared with their tool."""

    @abstractmethod
    def proofs(self, folder: Path) -> Iterator[tuple[str, Proof]]:
        """Yield the folder of each test, and what its comparison has found.

        Args:
            folder: where the tests were written.

        Raises:
            SpecError: a test is invalid.
        """

    def prove(self, folder: Path) -> Iterator[tuple[str, Proof]]:
        """Yield as `proofs`; write each into the test's certificate."""
        for home, proof in self.proofs(folder):
            add_proof(folder / home, proof.to_json())
            yield home, proof


class Written:
    """A written test: it renders rows and judges answers without a model."""

    def __init__(self, folder: Path) -> None:
        """Args:
        folder: the folder of the test, which lve has just written: it has no code of others.

        Raises:
            SpecError: the test is invalid.
            LveError: its checks can't be made.
        """
        self.spec = load_spec(folder)
        self.judge = resolve(self.spec, trusted=True)
        self.instances = [each for each in iter_instances(self.spec) if isinstance(each, Instance)]
        self._plans: dict[str, Plan] = {}

    def conversations(self, instance: Instance, model: str) -> Sequence[Conversation]:
        """Return what a model is asked for a row: `TEXTS` or `CHATS`."""
        if model not in self._plans:
            self._plans[model] = build_plan(self.spec, model=MODELS[model])
        return self._plans[model].preview(instance)

    def prompts(self, instance: Instance, model: str) -> list[JsonValue]:
        """Return what a model is asked for a row: texts, or lists of messages."""
        each = self.conversations(instance, model)
        if model == TEXTS:
            return [conversation.prompt for conversation in each]
        return [plain_messages(conversation.messages[:-1]) for conversation in each]

    def judged(
        self, instance: Instance, answer: str, reply: str = ""
    ) -> tuple[Verdict, list[JsonValue]]:
        """Return the verdict on an answer, and what a judge was asked, who says `reply`."""
        context = self._answered(instance, Completion(answer))
        context.answers = answers = Answers()
        questions: list[JsonValue] = []
        for _ in range(MAX_QUESTIONS):
            verdict = self.judge.judge(context)
            missing = list(answers.missing.values())
            if not missing:
                break
            questions += [plain_messages(question.messages) for question in missing]
            answers.add([Answer(q.key, q.role, "scripted", Completion(reply)) for q in missing])
        return verdict, questions

    def judged_by(
        self,
        number: int,
        instance: Instance,
        completion: Completion,
        reply: Callable[[JsonValue], str] | None = None,
    ) -> Verdict:
        """Return the verdict of one of the checks on an answer.

        Args:
            number: of the check.
            instance: the row.
            completion: the answer.
            reply: the prompt of a judge -> what the judge says; None: the check asks no model.
        """
        context = self._answered(instance, completion)
        context.cost = completion.cost
        checker = self.judge.checkers[number]
        if reply is not None:
            context.answers = answers = Answers()
            verdict_of(checker, context, BoundChecker.check)
            for q in list(answers.missing.values()):
                completion = Completion(reply(plain_messages(q.messages)))
                answers.add([Answer(q.key, q.role, "scripted", completion)])
        verdict = verdict_of(checker, context, BoundChecker.check)
        if verdict.code == NO_PROCESS and checker.out_of_process is not None:
            with suppress(LveError):  # on a busy machine, starting it takes longer than judging may
                checker.out_of_process.prepare()
            verdict = verdict_of(checker, context, BoundChecker.check)
        return verdict

    def rated(
        self, instance: Instance, rated: Sequence[JsonValue], texts: Sequence[str] | None = None
    ) -> Verdict:
        """Return the verdict on a row whose choices a model has rated.

        Args:
            instance: the row.
            rated: the log-probability of each choice.
            texts: what of each prompt is rated; None: all of it.
        """
        each = self.conversations(instance, TEXTS)
        of = [str(conversation.prompt) for conversation in each] if texts is None else texts
        triples = zip(each, rated, of, strict=False)
        return self.judge.judge(self._context(instance, tuple(_rated(*of) for of in triples)))

    def _answered(self, instance: Instance, completion: Completion) -> CheckContext:
        try:
            conversation = self.conversations(instance, TEXTS)[0]
        except TemplateError:  # raw messages, which no model that continues texts gets
            conversation = self.conversations(instance, CHATS)[0]
        text = conversation.prompt
        prompt = conversation.messages[:-1] if text is None else (Message(text),)
        messages = (*prompt, Message(completion.text, Role.assistant))
        return self._context(instance, (Transcript(messages, (completion,), None, (1,)),))

    def _context(self, instance: Instance, runs: tuple[Transcript, ...]) -> CheckContext:
        return CheckContext(runs, instance.parameters, instance.reference, instance.args)


def plain_messages(messages: Sequence[Message]) -> JsonValue:
    """Return messages as JSON: their roles, and their texts or lists of parts."""
    return [{"role": each.role.value, "content": content_of(each.content)} for each in messages]


def content_of(content: object) -> JsonValue:
    """Return what a message has: a text, or a list of parts."""
    if not isinstance(content, list | tuple):
        return str(content)
    return [dict(part) if isinstance(part, Mapping) else str(part) for part in content]


def _rated(conversation: Conversation, value: JsonValue, text: str) -> Transcript:
    """Return a run in which a model rates what follows the context with one log-probability."""
    whole, number = str(conversation.prompt), number_of(value)
    start = len(whole) - len(text)
    tokens = [ScoredToken(whole[:start], None, 0), ScoredToken(text, number, start)]
    if not start:  # of a text without anything before it, the first token isn't rated
        tokens = [ScoredToken("", None, 0), ScoredToken(text, number, 0)]
    completion = Completion("", logprobs=[token.to_json() for token in tokens])
    messages = (Message(whole), Message("", Role.assistant))
    return Transcript(messages, (completion,), conversation.name, (1,))


def written_tests(folder: Path, proofs: Mapping[str, Proof]) -> Iterator[tuple[str, Written]]:
    """Yield the tests that can be compared; say of the others why they can't.

    Args:
        folder: where they were written.
        proofs: folder of a test -> what gets the reason.
    """
    for home, proof in proofs.items():
        try:
            test = Written(folder / home)
            if test.spec.skip:
                proof.why = f"it is skipped: {test.spec.skip}"
            else:
                yield home, test
        except LveError as error:
            proof.why = str(error)


def number_of(value: object) -> float:
    """Return a number of a line that the tool wrote; 0 for anything else."""
    return float(value) if isinstance(value, int | float) else 0.0


def object_of(line: Mapping[str, JsonValue], key: str) -> JsonObject:
    """Return an object of a line that the tool wrote; an empty one for anything else."""
    value = line.get(key)
    return value if isinstance(value, dict) else {}
