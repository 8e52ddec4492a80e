"""What there is to say of an option of a run, and the kinds of values that options take.

A value that an option doesn't take is refused in one sentence, the same on the command line, in
pytest, from Python and out of a session's file. Every start of `lve` and of anybody's pytest makes
these classes: named tuples take less than half the time of frozen dataclasses.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import field
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from lve.excerpt import excerpt

if TYPE_CHECKING:
    from lve.workspace import Caps

Default = TypeVar("Default")
Door = Literal["run", "record", "score", "pytest", "python"]
"""Where an option can be given: a verb of the command line, pytest, `lve.run`."""
Bring = Literal["result", "habit", "pace", "grant", "never"]
"""Whether a session brings an option back.

`result`: it decides what the results are, so it is kept and can't change. `habit`: it is kept until
something else is given. `pace`: so is it, up to what holds without it; more has to be given again.
`grant`: it has to be given again. `never`: the session has no say."""
Shape = Literal["flag", "text", "path", "whole", "number", "texts", "mapping"]
MOST = 10**12
"""The largest whole number that an option takes: beyond any run, and Python can count to it."""


class Values(NamedTuple):
    """The values that an option takes."""

    shape: Shape
    wanted: str
    """What a value must be, in words."""
    is_right: Callable[[Any], bool]
    range: str = ""
    """The same for help, as short as click says it: `x>=1`."""
    metavar: str | None = None
    """What stands for a value in help; a flag has none."""

    def refusal(self, value: object) -> str | None:
        """Return what a value must be and isn't: `a whole number from 1 on, not 0`."""
        if not self.is_right(value):
            return f"{self.wanted}, not {_shown(value)}"
        if isinstance(value, int) and value > MOST and self.shape == "whole":
            return f"a whole number up to {MOST:,}, not {_shown(value)}"
        return None

    def number(self, text: str) -> int | float:
        """Return the number that somebody typed.

        Raises:
            ValueError: it isn't one that the option takes; says what it must be.
        """
        try:
            number = int(text) if self.shape == "whole" else float(text)
        except ValueError:
            raise ValueError(f"{self.wanted}, not '{excerpt(text)}'") from None
        if refusal := self.refusal(number):
            raise ValueError(refusal)
        return number


def _shown(value: object) -> str:
    try:
        return excerpt(repr(value))
    except ValueError:  # Python writes no number of more than 4,300 digits.
        return "one with thousands of digits"


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    """Whether a value is a number that a float can hold: neither infinite nor NaN."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return -sys.float_info.max <= value <= sys.float_info.max


def _is_mapping(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(name, str) for name in value)


def _are_texts(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(one, str) for one in value)


FLAG = Values("flag", "True or False", lambda value: isinstance(value, bool))
TEXT = Values("text", "a text", lambda value: isinstance(value, str))
TEXTS = Values("texts", "a list of names", _are_texts, metavar="NAME")
MAPPING = Values("mapping", "a dict with texts as keys", _is_mapping, metavar="NAME=VALUE")
PATH = Values("path", "a path", lambda value: isinstance(value, str | PathLike), metavar="FOLDER")
COUNT = Values(
    "whole", "a whole number from 1 on", lambda value: _is_whole(value) and value >= 1, "x>=1", "N"
)
INDEX = Values(
    "whole", "a whole number from 0 on", lambda value: _is_whole(value) and value >= 0, "x>=0", "N"
)
AMOUNT = Values(
    "number", "a number from 0 on", lambda value: _is_number(value) and value >= 0, "x>=0", "AMOUNT"
)
SECONDS = Values(
    "number",
    "a number of seconds above 0",
    lambda value: _is_number(value) and value > 0,
    "x>0",
    "SECONDS",
)


class Option(NamedTuple):
    """What there is to say of an option besides its name, type and default."""

    values: Values
    help: str
    doors: tuple[Door, ...]
    bring: Bring
    at_most: Callable[[Caps], int | None] | None = None
    """What a session may bring of it without being asked again; None for no bound."""
    word: str = ""
    """What it is called on the command line and in pytest, if not as its field."""
    short: str = ""
    """Its letter on the command line, with the dash."""
    pytest_word: str = ""
    """What pytest calls it, if not `word`."""
    metavar: str | None = None
    """What stands for its value in help, if not what its values have."""
    default_text: str = ""
    """What holds where it isn't given, for help."""
    python_word: str = ""
    """What `lve.run` calls it, if not as its field."""
    python_type: str = ""
    """Of the argument of `lve.run`, if it takes more than the field."""
    python_help: str = ""
    """Help of `lve.run`, if that of the command line doesn't suit."""

    @property
    def shown_metavar(self) -> str | None:
        """What stands for its value in help."""
        return self.metavar or self.values.metavar

    @property
    def typed_help(self) -> str:
        """Its help where it is typed, with default and range as click shows them."""
        repeated = " Repeat for several." if self.values.shape in ("texts", "mapping") else ""
        default = f"default: {self.default_text}" if self.default_text else ""
        notes = "; ".join(filter(None, (default, self.values.range)))
        return self.help + repeated + (f"  [{notes}]" if notes else "")


def option(default: Default, about: Option) -> Default:
    """Return the field of an option. Type checkers take it for the field's default."""
    metadata = {"option": about}
    if isinstance(default, dict):
        return field(default_factory=type(default), metadata=metadata)
    return field(default=default, metadata=metadata)
