"""The names that placeholders of a prompt may have, and the messages about other names."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from lve.data_classes import dataclass
from lve.errors import PromptError
from lve.escape import excerpt
from lve.prompts.fill import BRACES_HINT, Placeholder, check_constant_spec
from lve.prompts.fill_texts import as_literal
from lve.prompts.messages.answers import NamedAnswers, answer_problem
from lve.suggest import did_you_mean

_DOUBLE_BRACES_HINT = "single braces are literal here"


@dataclass(repr=False, eq=False, frozen=True, slots=True)
class Parameters:
    """The names that the placeholders of a message may have."""

    names: tuple[str, ...] | None
    """Parameters, in order; None if any name is allowed."""
    are_columns: bool = False
    """Whether they are the columns of a data set instead of declared parameters."""

    answers: tuple[str, ...] = ()
    """Variables of the answers before the message."""
    later_answers: tuple[str, ...] = ()
    """Variables of the answers after it."""

    def __contains__(self, name: str) -> bool:
        return self.names is not None and name in self.names

    def for_message(self, index: int, all_answers: NamedAnswers) -> Parameters:
        """Return the names for one message of a prompt, with its earlier and later answers.

        Args:
            index: of the message.
            all_answers: the answers of the prompt.
        """
        if not all_answers.names:  # The usual case.
            return self
        answers = all_answers.before(index)
        return replace(self, answers=answers, later_answers=all_answers.names[len(answers) :])


def is_known(name: str, parameters: Parameters) -> bool:
    """Whether a placeholder may have this name. A name of both a parameter and an answer may not
    be used."""
    if name in parameters.answers:
        return name not in parameters
    return _is_name(name) if parameters.names is None else name in parameters


def spec_problem(
    placeholder: Placeholder, unknown: Container[str], parameters: Parameters
) -> str | None:
    """Return what is wrong with a placeholder's indexes or format spec; None if nothing is, or its
    name is `unknown`."""
    if placeholder.name in unknown:
        return None
    try:
        check_constant_spec(placeholder)
    except PromptError as error:
        return str(error)
    return answer_problem(placeholder, parameters.answers) if parameters.answers else None


def unknown_name(placeholder: Placeholder, parameters: Parameters) -> tuple[str, str | None] | None:
    """Return message and hint about an unknown name of a placeholder; None if it is known."""
    is_declared = is_known(placeholder.name, parameters)
    return None if is_declared else why_unknown(placeholder.name, parameters)


def why_unknown(name: str, parameters: Parameters) -> tuple[str, str | None]:
    """Return message and hint about a name that `is_known` refuses."""
    quoted = excerpt(" ".join(name.split()), 40)
    if name in parameters.answers:
        what = "column of the data set" if parameters.are_columns else "parameter"
        return f"{{{quoted}}} is both a {what} and an answer above", "give the answer another name"
    if name in parameters.later_answers:
        return f"{{{quoted}}} is an answer that comes later", "only answers above can be repeated"
    what, todo = (
        "is not a declared parameter",
        f"declare it in `prompt_parameters`, or {BRACES_HINT}",
    )
    if parameters.are_columns:
        what, todo = "is no column of the data set", BRACES_HINT
    hint = did_you_mean(name, (*(parameters.names or ()), *parameters.answers)) or todo
    if not _is_name(name):
        hint = f"this is no name: {BRACES_HINT}"
    return f"{{{quoted}}} {what}", hint


def _is_name(name: str) -> bool:
    """Whether a placeholder has a name, unlike `{"key"` in JSON with single braces."""
    return name.strip().replace("_", "").replace("-", "").replace(" ", "").isalnum()


def with_doubled_braces(message: str) -> str:
    """Return a message about a placeholder for a text whose placeholders have two braces."""
    parts = message.split(BRACES_HINT)
    return _DOUBLE_BRACES_HINT.join(as_literal(part) for part in parts)
