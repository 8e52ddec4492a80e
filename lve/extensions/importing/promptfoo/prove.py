"""Compares imported tests with promptfoo, which renders and judges the same rows in its box."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from lve.data_classes import dataclass, field
from lve.documents.json_lines import canonical_json
from lve.errors import LveError
from lve.escape import excerpt
from lve.extensions.importing.boxes.box import BoxError
from lve.extensions.importing.promptfoo.answers import forms_of
from lve.extensions.importing.promptfoo.assertions import ASKING, MAKERS
from lve.extensions.importing.promptfoo.cases import Case, Place
from lve.extensions.importing.promptfoo.check_list import Path as CheckPath
from lve.extensions.importing.promptfoo.dumped import TOOL
from lve.extensions.importing.promptfoo.graded import OWN_NAMES
from lve.extensions.importing.promptfoo.installed_promptfoo import (
    COST,
    FINISHED,
    LATENCY_S,
    Original,
    Record,
)
from lve.extensions.importing.promptfoo.prompts import messages_of
from lve.extensions.importing.promptfoo.scripts.files import SCRIPT
from lve.extensions.importing.promptfoo.source import UnsupportedError
from lve.extensions.importing.promptfoo.templates import value_text
from lve.extensions.importing.promptfoo.thresholds import Check
from lve.extensions.importing.proof import (
    CHATS,
    NO_PROCESS,
    PROVEN_ROWS,
    Proof,
    ProvenTests,
    Written,
    object_of,
    plain_messages,
    written_tests,
)
from lve.json_types import JsonObject, JsonValue
from lve.messages import Completion
from lve.named_tuples import NamedTuple
from lve.spec.spec import Instance

JUDGED_ROWS = 3
"""Rows of a test whose answers are judged."""
SLOW_ROWS, SLOW_ANSWERS = 1, 6
"""The same where checks run programs, and how many answers are judged then."""
THREW = "error"
JUDGE = "promptfoo_judge"
"""The check whose judge is asked as promptfoo asks it."""
TRANSFORM = "Error: Transform f"
"""What promptfoo says where lve's verdict is an error, too."""


class Origin(NamedTuple):
    """What a test was made of."""

    prompts: list[Place]
    has_instructions: bool
    """Whether its first message isn't of the prompt, but of the model."""
    cases: list[Case]
    paths: list[list[CheckPath]]
    """Of each case, which of its assertions the checks are."""
    checks: list[Check]


@dataclass(frozen=True, slots=True)
class ProvenConfig(ProvenTests):
    """Imported tests of a configuration."""

    original: Original | None = None
    origins: Mapping[str, Origin] = field(default_factory=dict)
    """Folder of a test -> what it was made of."""

    def proofs(self, folder: Path) -> Iterator[tuple[str, Proof]]:
        proofs = {home: Proof() for home in self.origins}
        written = dict(written_tests(folder, proofs))
        record = Record()
        assert self.original is not None
        try:
            has_judges = any(JUDGE in canonical_json(self.origins[home].checks) for home in written)
            asking = {*ASKING} - ({*OWN_NAMES} if has_judges else set())
            requests = self._requests(folder, written)
            record.ask(self.original, requests, sorted(MAKERS.keys() - asking))
        except (BoxError, UnsupportedError) as error:
            record.why = str(error).removeprefix("left out: ")
        for home, proof in proofs.items():
            proof.tool = {"tool": TOOL.name, "version": record.version}
            proof.why = proof.why or record.why
            if home in written:
                Comparison(written[home], self.origins[home], record, proof).compare()
            yield home, proof

    def _requests(self, folder: Path, written: Iterable[str]) -> dict[Place, JsonObject]:
        """Return the tests that promptfoo is asked about, by their place."""
        requests: dict[Place, JsonObject] = {}
        for home in written:
            origin = self.origins[home]
            forms, rows = forms_of(origin.checks, folder / home), JUDGED_ROWS
            if SCRIPT in canonical_json(origin.checks):
                forms, rows = list(islice(forms, SLOW_ANSWERS)), SLOW_ROWS
            for case in _sample(origin.cases):
                entry, index = case.place
                own = requests.setdefault(
                    case.place,
                    {"entry": entry, "index": index, "forms": [*forms], "rows": rows, "judged": []},
                )
                judged = own["judged"]
                assert isinstance(judged, list)
                judged.append("{} {}".format(*origin.prompts[0]))
        return requests


def _sample(cases: Sequence[Case]) -> Iterator[Case]:
    count = 0
    for case in cases:
        if count < PROVEN_ROWS and case.hub is None:
            yield case
        count += len(case.rows)


class Comparison:
    """Compares a test with what promptfoo says of it."""

    def __init__(self, test: Written, origin: Origin, record: Record, proof: Proof) -> None:
        """Args:
        test: the written test.
        origin: what it was made of.
        record: what promptfoo says.
        proof: gets what is found.
        """
        self._test, self._origin, self._record, self._proof = test, origin, record, proof
        self._rows = set[str]()
        self._replies = {
            canonical_json(_messages(prompt)): reply for prompt, reply in record.replies.items()
        }

    def compare(self) -> None:
        """Compare prompts and verdicts of all rows that promptfoo was asked about."""
        for case, paths in zip(self._origin.cases, self._origin.paths, strict=True):
            if case.hub is not None:
                self._tell("its rows are on the hub")
            elif case.place[0] in self._record.miscounted:
                self._tell("promptfoo reads other tests in its file")
            else:
                for line in self._record.lines.get(case.place, ()):
                    self._line(case, paths, line)

    def _tell(self, why: str) -> None:
        if why not in self._proof.why:
            self._proof.why = "; ".join(filter(None, (self._proof.why, why)))

    def _line(self, case: Case, paths: Sequence[CheckPath], line: JsonObject) -> None:
        of = line["of"]
        assert isinstance(of, list)
        if (of[0], of[1]) not in self._origin.prompts:
            return
        if line["kind"] == "failed":
            self._tell(f"promptfoo makes no answer: {excerpt(str(line.get('why')), 200)}")
            return
        variables = object_of(line, "vars")
        instance = self._instance(case, variables)
        about: JsonObject = {"test": [*case.place], "vars": variables}
        number = self._origin.prompts.index((of[0], of[1]))
        try:
            if instance is None:
                self._proof.differences.append({**about, "why": "lve has no such row"})
            elif line["kind"] == "row":
                self._prompt(number, instance, {**about, "prompt": of}, str(line.get("prompt")))
            elif number == 0:
                self._scores(paths, instance, about, line)
        except LveError as error:
            self._proof.differences.append({**about, "why": str(error)})

    def _instance(self, case: Case, variables: JsonObject) -> Instance | None:
        """Return the row that has the values of variables."""
        texts = {name: value_text(value) for name, value in variables.items()}
        for row in case.rows:
            if all(row[name] == texts[name] for name in row.keys() & texts.keys()):
                break
        else:
            return None
        for each in self._test.instances:
            if all(value == row.get(name, "") for name, value in each.parameters.items()):
                return each
        return None

    def _prompt(self, number: int, instance: Instance, about: JsonObject, text: str) -> None:
        start = int(self._origin.has_instructions)
        each = self._test.conversations(instance, CHATS)
        every = [plain_messages(conversation.messages[start:-1]) for conversation in each]
        places = self._origin.prompts
        alike = [m for m, place in zip(every, places, strict=True) if place[0] == places[number][0]]
        expected = _messages(text)
        if (key := str(about["vars"])) not in self._rows:
            self._rows.add(key)
            self._proof.rows += 1
        # Files that a pattern fits have no order.
        messages = expected if expected in alike else every[number]
        self._proof.compare_prompts(about, [messages], [expected])

    def _scores(
        self, paths: Sequence[CheckPath], instance: Instance, about: JsonObject, line: JsonObject
    ) -> None:
        answer = str(line.get("answer"))
        completion = Completion(answer, FINISHED, latency_s=LATENCY_S, cost=COST)
        about = {**about, "answer": answer}
        pairs = zip(self._test.judge.checkers, self._origin.checks, paths, strict=True)
        for number, (checker, check, path) in enumerate(pairs):
            if checker.roles and checker.name != JUDGE:
                self._proof.not_compared += 1
                self._tell(f"{checker.name} asks a model")
                continue
            expected = _expected(line, path, changed=SCRIPT in canonical_json(check))
            if expected is None:
                self._proof.not_compared += 1
                if line.get("threw") and TRANSFORM not in str(line.get("why")):
                    self._tell(f"promptfoo throws {excerpt(str(line.get('why')), 200)}")
                continue
            reply = partial(self._reply, about) if checker.roles else None
            verdict = self._test.judged_by(number, instance, completion, reply)
            if verdict.code == NO_PROCESS and expected != THREW:
                self._proof.not_compared += 1
                self._tell(f"lve: {excerpt(verdict.reason, 200)}")
                continue
            value: JsonValue = THREW if verdict.outcome == "error" else verdict.passed
            why: JsonObject = {"reason": verdict.reason, "why": line.get("why")}
            of: JsonObject = {**about, "check": check, **why}
            self._proof.compare_score(of, value, expected)

    def _reply(self, about: JsonObject, messages: JsonValue) -> str:
        """Return what promptfoo's judge has replied to a question of lve's; an empty text, and a
        difference, if it wasn't asked this."""
        reply = self._replies.get(canonical_json(messages))
        expected = messages if reply is not None else "what promptfoo's judge was asked"
        self._proof.compare_prompts(about, [messages], [expected])
        return reply or ""


def _messages(text: str) -> JsonValue:
    try:
        return messages_of(text, lambda part: part)  # type: ignore[return-value]  # of JSON
    except UnsupportedError:
        return text


def _expected(line: JsonObject, path: CheckPath, *, changed: bool) -> JsonValue:
    """Return what promptfoo says of an assertion; None if it doesn't. Where a transform throws, the
    verdict on an answer that it changes is an error; of the others, nothing is said."""
    if line.get("threw"):
        return THREW if changed and TRANSFORM in str(line.get("why")) else None
    if not path:
        return line.get("passes")
    each = line.get("each")
    verdict = each[path[0]] if isinstance(each, list) and path[0] < len(each) else None
    match verdict, path[1:]:
        case [bool(passes), _], ():
            return passes
        case [_, [*members]], (member,) if member < len(members):
            return bool(members[member])
    return None
