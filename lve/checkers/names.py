"""The names whose values a test's instances give to its checkers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from lve.errors import LveError
from lve.model_arg_names import KNOWN_MODEL_ARGS
from lve.prompts.fill import parse_template
from lve.prompts.messages.plan import build_message_plan
from lve.spec.model import Instance, Spec
from lve.suggest import did_you_mean

REFERENCE = "reference"
"""A lambda's argument of this name gets the data set's right answer."""
_TURN = re.compile(r"turn_[1-9][0-9]{0,3}|response")


@dataclass(frozen=True, slots=True)
class KnownNames:
    """All names that an instance's args can have."""

    names: frozenset[str]
    of_dataset: bool
    """Whether they are the columns of a data set."""

    def __contains__(self, name: str) -> bool:
        return name in self.names

    @property
    def what(self) -> str:
        """What such a name is: "parameter of the test"."""
        return "column of the data set" if self.of_dataset else "parameter of the test"

    def hint(self, name: str, parameters: Iterable[str]) -> str:
        """Return what may be meant by an unknown name; `parameters` are the test's."""
        known = sorted(self.names) if self.of_dataset else list(parameters)
        return did_you_mean(name, known) or f"there are: {', '.join(known) or 'none'}"


@dataclass(frozen=True, slots=True)
class Needs:
    """What a checker needs of an instance."""

    checker: str
    names: frozenset[str] = frozenset()
    """Args."""
    reference: bool = False
    """Whether it compares with the right answer."""

    def lacking(self, instance: Instance) -> list[str]:
        """Return what an instance lacks."""
        args, parameters = instance.args, instance.parameters
        lacking = [n for n in self.names if args.get(n) is None and parameters.get(n) is None]
        reference = instance.reference
        if reference is not None and REFERENCE in lacking:
            lacking.remove(REFERENCE)
        given = reference if isinstance(reference, list) else [reference]
        if self.reference and not any(answer is not None for answer in given):
            lacking.append("the right answer (reader_cfg.output_column)")
        return sorted(lacking)


def why_unjudgeable(
    needs: Sequence[Needs], instance: Instance, *, pass_when: Literal["all", "any"]
) -> str | None:
    """Return why no answer to an instance can pass: it lacks what the checkers need.

    Args:
        needs: of all checkers of the test.
        instance: what would be asked.
        pass_when: whether all checkers must pass, or one.
    """
    lacking = [(one.checker, names) for one in needs if (names := one.lacking(instance))]
    if not lacking or (pass_when == "any" and len(lacking) < len(needs)):
        return None
    told = "; ".join(f"{checker} needs {', '.join(names)}" for checker, names in lacking)
    given = [name for name, value in instance.args.items() if value is not None]
    return f"{told}: not given (given: {', '.join(given) or 'none'})"


def names_in(args: Mapping[str, Any], texts: Iterable[str]) -> frozenset[str]:
    """Return the names of the placeholders in some of a checker's arguments."""
    return frozenset(name for text in texts for name in placeholder_names(args[text]))


def placeholder_names(value: str | list[Any]) -> list[str]:
    """Return the names of the placeholders in a text, or in the texts of a list.

    Raises:
        PlaceholderError: a brace is no placeholder.
    """
    texts = [value] if isinstance(value, str) else [one for one in value if isinstance(one, str)]
    return [p.name for text in texts for p in parse_template(text).placeholders()]


def known_names(spec: Spec) -> KnownNames | None:
    """Return the names that instances' args can have; None if that takes reading a large data
    set."""
    if spec.dataset is None:
        names = frozenset((*spec.parameters, *spec.model_args, *KNOWN_MODEL_ARGS))
        return KnownNames(names, of_dataset=False)
    from lve.data.columns import first_columns  # few tests have a data set, and it takes long

    columns = first_columns(spec)
    return None if columns is None else KnownNames(columns, of_dataset=True)


def is_turn(spec: Spec, name: str) -> bool:
    """Return whether a name may be the variable of an answer of the test's dialogue."""
    if spec.infer_cfg is not None:
        return _TURN.fullmatch(name) is not None
    if spec.prompt_object is not None:
        return False
    try:
        prompts = build_message_plan(spec).prompts
    except LveError:  # reported where prompts are checked
        return True
    turns = [message for prompt in prompts for message in prompt.messages if message.is_open]
    return len(prompts) == 1 and name in [message.variable for message in turns]
