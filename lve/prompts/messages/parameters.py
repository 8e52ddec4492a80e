"""The names that may fill a prompt, and what is wrong with others."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace

from lve.errors import PromptError
from lve.escape import excerpt
from lve.prompts.fill import BRACES_HINT, Placeholder, check_constant_spec
from lve.prompts.messages.answers import NamedAnswers, why_unfit
from lve.suggest import did_you_mean


@dataclass(repr=False, eq=False, frozen=True, slots=True)
class Parameters:
    """The names that fill a prompt."""

    names: tuple[str, ...] | None
    """In order; None if any name may be one."""
    are_columns: bool = False
    """Whether they are the columns of a data set, and nothing declares them."""

    answers: tuple[str, ...] = ()
    """The variables of the model's answers so far."""
    to_come: tuple[str, ...] = ()
    """Those of its later answers."""

    def __contains__(self, name: str) -> bool:
        return self.names is not None and name in self.names

    def at(self, named: NamedAnswers, index: int) -> Parameters:
        """Return the names that fill a message of a prompt: answers before it, too."""
        if not named.names:  # as nearly everywhere
            return self
        answers = named.before(index)
        to_come = named.names[len(answers) :]
        return replace(self, answers=answers, to_come=to_come)


def is_known(name: str, parameters: Parameters) -> bool:
    if name in parameters.answers:
        return name not in parameters
    return _is_name(name) if parameters.names is None else name in parameters


def wrong_spec(
    placeholder: Placeholder, unknown: Container[str], parameters: Parameters
) -> str | None:
    if placeholder.name in unknown:
        return None
    try:
        check_constant_spec(placeholder)
    except PromptError as error:
        return str(error)
    return why_unfit(placeholder, parameters.answers) if parameters.answers else None


def unknown_name(placeholder: Placeholder, parameters: Parameters) -> tuple[str, str | None] | None:
    """Return what is wrong with the name of a placeholder, and what to do about it; None if nothing
    is."""
    known = is_known(placeholder.name, parameters)
    return None if known else why_unknown(placeholder.name, parameters)


def why_unknown(name: str, parameters: Parameters) -> tuple[str, str | None]:
    """Return what is wrong with the name of a placeholder, and what to do about it."""
    shown = excerpt(" ".join(name.split()), 40)
    if name in parameters.answers:
        what = "column of the data set" if parameters.are_columns else "parameter"
        return f"{{{shown}}} is both a {what} and an answer above", "give the answer another name"
    if name in parameters.to_come:
        return f"{{{shown}}} is an answer that comes later", "only answers above can be repeated"
    what, todo = (
        "is not a declared parameter",
        f"declare it in `prompt_parameters`, or {BRACES_HINT}",
    )
    if parameters.are_columns:
        from lve.data.separators import separator_hint  # late: few prompts have wrong columns

        what = "is no column of the data set"
        todo = separator_hint(parameters.names or ()) or BRACES_HINT
    hint = did_you_mean(name, (*(parameters.names or ()), *parameters.answers)) or todo
    if not _is_name(name):
        hint = f"this is no name: {BRACES_HINT}"
    return f"{{{shown}}} {what}", hint


def _is_name(name: str) -> bool:
    """Whether a placeholder is meant as a name, unlike `"key"` in JSON with single braces."""
    return name.strip().replace("_", "").replace("-", "").replace(" ", "").isalnum()
