"""The names that a test's checkers can use: args of its instances, and variables of answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from lve.data_classes import dataclass, field
from lve.errors import LveError, PromptError
from lve.escape import listed
from lve.named_tuples import NamedTuple
from lve.prompts.conversation import RESPONSE
from lve.prompts.fill import parse_template
from lve.prompts.messages.plan import build_message_plan
from lve.spec.check_names import CONTEXTS
from lve.spec.model_arg_names import KNOWN_MODEL_ARGS
from lve.spec.spec import Instance, Spec
from lve.suggest import did_you_mean

REFERENCE = "reference"
"""The name of the data set's right answer, in placeholders and as a lambda's argument."""
LATE = frozenset({REFERENCE, CONTEXTS})
"""Placeholders that are known when there is an answer, in all tests."""
_TURN = re.compile(r"turn_[1-9][0-9]{0,3}|response")
_ANY = re.compile(".+")
_SECOND = "beside another one in its text"
_ONLY = r"\s*\{([^{}\[\].!:]+)\}\s*"


@dataclass(frozen=True, slots=True)
class ArgNames:
    """All names that an instance's args can have."""

    names: frozenset[str]
    are_columns: bool
    """Whether they are the columns of a data set."""

    spec: Spec | None = field(default=None, compare=False, repr=False)
    _answers: list[AnswerNames] = field(default_factory=list, init=False, compare=False, repr=False)
    """The variables of answers, once they are needed: a text may have 100,000 placeholders."""

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def is_late(self, name: str) -> bool:
        """Return whether the value of `name` is unknown until the model has answered: it is the
        variable of an answer, or `reference`, which can differ by turn."""
        if name in LATE or self.spec is None:
            return name in LATE
        if not self._answers:
            self._answers.append(answer_names(self.spec))
        return self._answers[0].is_turn(name)

    @property
    def noun(self) -> str:
        """How messages call such a name: "parameter of the test"."""
        return "column of the data set" if self.are_columns else "parameter of the test"

    def hint(self, name: str, parameters: Iterable[str]) -> str:
        """Return a hint for an unknown name; `parameters` are those of the test."""
        candidates = sorted(self.names) if self.are_columns else list(parameters)
        return did_you_mean(name, candidates) or f"there are: {listed(candidates)}"


class Slot(NamedTuple):
    """A text of a check that each instance fills."""

    checker: str
    text: str
    takes: tuple[type, ...]
    """Those of `list` and `dict` that may take the place of a text that is only a placeholder."""

    def why_not_filled(self, values: Mapping[str, object]) -> str | None:
        """Return why these values can't fill it; None if they can."""
        name = only_placeholder(self.text)
        try:
            if name is None:
                inserted_list(self.text, values, self.checker, takes=self.takes == (list,))
            elif isinstance(values.get(name), list | dict) and type(values[name]) not in self.takes:
                return _takes_one(self.checker, name, values[name])
        except PromptError as error:
            return str(error)
        return None


class Needs(NamedTuple):
    """What an instance must have for a checker."""

    checker: str
    """The checker's name."""
    names: frozenset[str] = frozenset()
    """Names of args that must not be null."""
    reference: bool = False
    """Whether the instance must have a right answer."""
    slots: frozenset[Slot] = frozenset()
    """The texts that it fills, those of inner checks too."""

    def unfilled_by(self, instance: Instance) -> str | None:
        """Return why an instance's values can't be put into a text of `slots`."""
        values = {**instance.args, **instance.parameters} if self.slots else {}
        values.pop(REFERENCE, None)  # a list has one for each turn
        if not any(isinstance(value, list | dict) for value in values.values()):
            return None
        reasons = [slot.why_not_filled(values) for slot in self.slots]
        return min((reason for reason in reasons if reason is not None), default=None)

    def missing_from(self, instance: Instance) -> list[str]:
        """Return what `instance` lacks, for messages."""
        args, parameters = instance.args, instance.parameters
        missing = [n for n in self.names if args.get(n) is None and parameters.get(n) is None]
        reference = instance.reference
        if reference is not None and REFERENCE in missing:
            missing.remove(REFERENCE)
        references = reference if isinstance(reference, list) else [reference]
        if self.reference and not any(answer is not None for answer in references):
            missing.append("the right answer (reader_cfg.output_column)")
        return sorted(missing)


def why_unjudgeable(
    needs: Sequence[Needs], instance: Instance, *, pass_when: Literal["all", "any"]
) -> str | None:
    """Return why no answer to an instance can pass: what it lacks that the checkers need. None if
    nothing is missing.

    Args:
        needs: the needs of all checkers of the test.
        instance: the instance.
        pass_when: whether all checkers must pass, or one of them.
    """
    for need in needs:
        if (reason := need.unfilled_by(instance)) is not None:
            return reason
    lacking = [(need.checker, names) for need in needs if (names := need.missing_from(instance))]
    if not lacking or (pass_when == "any" and len(lacking) < len(needs)):
        return None
    missing = "; ".join(f"{checker} needs {listed(names)}" for checker, names in lacking)
    present = [name for name, value in instance.args.items() if value is not None]
    return f"{missing}: not given (given: {listed(present)})"


def inserted_list(
    text: str, values: Mapping[str, object], checker: str = "a check", *, takes: bool = True
) -> str | None:
    """Return the name of the list whose elements are put into a text, each into one of its own.

    Args:
        text: a text with placeholders.
        values: name -> value.
        checker: what takes the text, for errors.
        takes: whether it may become several.

    Raises:
        PromptError: an object, a second list or another value has no place in a text.
    """
    inserted = None
    for placeholder in parse_template(text).placeholders():
        name = placeholder.name
        value = placeholder.lookup(values) if isinstance(values.get(name), list | dict) else None
        if placeholder.conversion or not isinstance(value, list | dict):
            continue
        is_flat = all(isinstance(element, str | int | float) for element in value)
        is_only = inserted in (None, name) and not placeholder.indexes
        if isinstance(value, dict) or not (takes and is_flat and is_only):
            raise PromptError(_takes_one(checker, name, value, _SECOND if inserted else "here"))
        inserted = name
    return inserted


def _takes_one(checker: str, name: str, value: object, where: str = "here") -> str:
    if isinstance(value, dict):
        return f"{checker} takes one value, but `{name}` is an object here: write {{{name}[key]}}"
    return (
        f"{checker} takes one value, but `{name}` is a list {where}: write {{{name}[0]}} for its"
        " first, or a check that takes several, such as `text`, `starts_with` or `contains_any`"
    )


def only_placeholder(value: object) -> str | None:
    """Return the name in a text that is only `{name}`; None for everything else."""
    match = re.fullmatch(_ONLY, value) if isinstance(value, str) and "{" in value else None
    return match[1] if match else None


def names_in(args: Mapping[str, Any], texts: Iterable[str]) -> frozenset[str]:
    """Return the names of the placeholders in the arguments that `texts` names."""
    return frozenset(name for text in texts for name in placeholder_names(args[text]))


def placeholder_names(value: str | list[object]) -> list[str]:
    """Return the names of the placeholders in a text, or in the texts of a list.

    Raises:
        PlaceholderError: a placeholder is malformed.
    """
    texts = (
        [value]
        if isinstance(value, str)
        else [element for element in value if isinstance(element, str)]
    )
    return [p.name for text in texts for p in parse_template(text).placeholders()]


def find_arg_names(spec: Spec) -> ArgNames | None:
    """Return the names that instances' args can have; None if only reading a large data set could
    tell."""
    if spec.dataset is None:
        names = frozenset((*spec.parameters, *spec.model_args, *KNOWN_MODEL_ARGS))
        return ArgNames(names, are_columns=False, spec=spec)
    from lve.data.columns import first_columns  # few tests have a data set, and it takes long

    columns = first_columns(spec)
    return None if columns is None else ArgNames(columns, are_columns=True, spec=spec)


@dataclass(frozen=True, slots=True)
class AnswerNames:
    """The variables of a test's answers."""

    names: tuple[str, ...]
    """The known variables, in order."""
    in_all_runs: frozenset[str]
    """The variables that every prompt of the test has."""
    others: re.Pattern[str] | None = None
    """Pattern of further variables, if any. Rows of a data set and simulated users decide how many
    turns a dialogue has."""
    turns: int = 1
    """The most answers of a run."""

    def __contains__(self, name: str) -> bool:
        return name in self.names or (self.others is not None and bool(self.others.fullmatch(name)))

    def is_turn(self, name: str) -> bool:
        """Return whether `name` is the variable of an answer in every run of the test."""
        return name in self.in_all_runs or (self.others is not None and name in self)

    def listed(self) -> str:
        """Return the names for a message."""
        return listed(self.names) if self.others is None else "turn_1, turn_2, ..., response"


def answer_names(spec: Spec) -> AnswerNames:
    """Return the variables of a test's answers. The last answer of a run is also `response`."""
    if spec.infer_cfg is not None:
        return AnswerNames((RESPONSE,), frozenset(), _TURN)
    if spec.prompt_object is not None:
        return AnswerNames((RESPONSE,), frozenset())
    try:
        prompts = build_message_plan(spec).prompts
    except LveError:  # reported where prompts are checked
        return AnswerNames((), frozenset(), _ANY)
    open_variables = [[m.variable for m in p.messages if m.is_open and m.variable] for p in prompts]
    names = tuple(
        dict.fromkeys(name for variables in open_variables for name in (*variables, RESPONSE))
    )
    if spec.simulated_user is not None:  # it decides how many turns there are
        return AnswerNames(names, frozenset.intersection(*map(frozenset, open_variables)), _TURN)
    turns = max(sum(message.is_open for message in p.messages) for p in prompts)
    return AnswerNames(names, frozenset.intersection(*map(frozenset, open_variables)), turns=turns)


def answer_count(spec: Spec, *, one_each: bool, listed: Sequence[str]) -> int | None:
    """Return how many answers of an instance a check compares; None if that is unknown.

    Args:
        spec: the test.
        one_each: whether the check sees one answer of each run.
        listed: the variables that the check sees; empty for all.
    """
    if spec.infer_cfg is not None:
        return None
    if spec.prompt_object is not None:
        return 1
    runs = sum(source.repetitions for source in spec.prompts)
    names = answer_names(spec)
    if runs != 1 or one_each or names.others is not None:
        return runs if names.others is None else None
    return len(listed) or names.turns
