"""Describes an option of a run (`Option`) and the values that it accepts (`Values`).

A wrong value is refused with the same sentence on the command line, in pytest, in Python and from a
session's file. The classes are named tuples because every start of `lve` and of pytest makes them:
a frozen dataclass takes more than twice the time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import field
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from lve.escape import excerpt

if TYPE_CHECKING:
    from lve.workspace import Caps

Default = TypeVar("Default")
Door = Literal["run", "record", "score", "check", "list", "calibrate", "pytest", "python"]
"""Where an option can be given: a verb of the command line, pytest, `lve.run`."""
EVERYWHERE: tuple[Door, ...] = ("run", "record", "pytest", "python")
ASKING: tuple[Door, ...] = (*EVERYWHERE, "score", "check", "calibrate")
"""Where checkers may ask models."""
RUN_AND_RECORD: tuple[Door, ...] = ("run", "record", "python")
RUN_AND_PYTEST: tuple[Door, ...] = ("run", "pytest", "python")
CHOOSING: tuple[Door, ...] = ("run", "check", "list", "pytest", "python")
"""Where tests and instances are picked."""
RUN: tuple[Door, ...] = ("run", "python")
CALIBRATE: Door = "calibrate"
Bring = Literal["result", "habit", "pace", "grant", "never"]
"""Whether a resumed session restores an option.

`result`: it determines the results, so it is restored and can't change. `habit`: it is restored
unless it is given again. `pace`: the same, but only up to its default; more must be given again.
`grant`: it must be given again. `never`: it isn't stored in the session."""
Shape = Literal["flag", "text", "path", "whole", "number", "texts", "mapping"]
MOST = 10**12
"""The largest whole number that an option accepts: more than any run needs."""


class Values(NamedTuple):
    """The values that an option accepts."""

    shape: Shape
    wanted: str
    """The accepted values in words, for messages."""
    is_right: Callable[[Any], bool]
    range: str = ""
    """The accepted range as click's help shows it: `x>=1`."""
    metavar: str | None = None
    """The placeholder of a value in help; a flag has none."""
    why_not: Callable[[Any], str | None] | None = None
    """Returns what a text must be and isn't; None for a text that is right."""

    def refusal(self, value: object) -> str | None:
        """Return why a value is refused, such as `a whole number from 1 on, not 0`, or None."""
        if not self.is_right(value):
            return f"{self.wanted}, not {_shown(value)}"
        if isinstance(value, int) and value > MOST and self.shape == "whole":
            return f"a whole number up to {MOST:,}, not {_shown(value)}"
        return self.why_not(value) if self.why_not else None

    def number(self, text: str) -> int | float:
        """Return a typed number.

        Raises:
            ValueError: the option doesn't accept it; the message is that of `refusal`.
        """
        try:
            number = int(text) if self.shape == "whole" else float(text)
        except ValueError:
            raise ValueError(f"{self.wanted}, not '{excerpt(text)}'") from None
        if refusal := self.refusal(number):
            raise ValueError(refusal)
        return number


def _refusal_of_expression(text: str) -> str | None:
    from lve.options.match_expression import refusal_of_expression  # late: compiles a pattern

    return refusal_of_expression(text)


def _refusal_of_rows(text: str) -> str | None:
    from lve.options.row_numbers import refusal_of_rows

    return refusal_of_rows(text)


def _refusal_of_shard(text: str) -> str | None:
    from lve.options.shard_number import refusal_of_shard

    return refusal_of_shard(text)


def _shown(value: object) -> str:
    try:
        return excerpt(repr(value))
    except ValueError:  # Python can't print a number of more than 4,300 digits
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


def _are_pairs(value: Any) -> bool:
    return _is_mapping(value) and all(isinstance(one, str) and one for one in value.values())


def _are_texts(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(one, str) for one in value)


FLAG = Values("flag", "True or False", lambda value: isinstance(value, bool))
TEXT = Values("text", "a text", lambda value: isinstance(value, str))
TEXTS = Values("texts", "a list of names", _are_texts, metavar="NAME")
MAPPING = Values("mapping", "a dict with texts as keys", _is_mapping, metavar="NAME=VALUE")
PAIRS = Values("mapping", "a dict of texts", _are_pairs, metavar="NAME=NAME")
EXPRESSION = Values(
    "text",
    "an expression",
    lambda value: isinstance(value, str),
    metavar="EXPR",
    why_not=_refusal_of_expression,
)
ROWS = Values(
    "text",
    "row numbers",
    lambda value: isinstance(value, str),
    metavar="ROWS",
    why_not=_refusal_of_rows,
)
SHARD = Values(
    "text",
    "a shard",
    lambda value: isinstance(value, str),
    metavar="N/TOTAL",
    why_not=_refusal_of_shard,
)
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
    """Everything about an option but its name, type and default."""

    values: Values
    help: str
    doors: tuple[Door, ...]
    bring: Bring
    at_most: Callable[[Caps], int | None] | None = None
    """Returns the largest value that a session may restore; None: no limit."""
    picks: bool = False
    """Whether it can leave out some of a test's instances."""
    word: str = ""
    """Its name on the command line and in pytest, if it isn't that of the field."""
    short: str = ""
    """Its letter on the command line, with the dash."""
    bare: str = ""
    """What it means on the command line without a value; it needs one if this is empty."""
    pytest_word: str = ""
    """Its name in pytest, if it isn't `word`."""
    metavar: str | None = None
    """What stands for its value in help, if not what its values have."""
    default_text: str = ""
    """Its default in words, for help."""
    python_word: str = ""
    """Its name as an argument of `lve.run`, if it isn't that of the field."""
    python_type: str = ""
    """The type of the argument of `lve.run`, if it isn't that of the field."""
    python_help: str = ""
    """Its description for `lve.run`, if it isn't `help`."""

    @property
    def shown_metavar(self) -> str | None:
        """What stands for its value in help."""
        return self.metavar or self.values.metavar

    @property
    def typed_help(self) -> str:
        """Its help on the command line, with default and range in click's form."""
        return self._help(f" N is {self.bare} if left out." if self.bare else "")

    @property
    def valued_help(self) -> str:
        """The same in pytest, where its value can't be left out."""
        return self._help("")

    def _help(self, more: str) -> str:
        repeated = " Repeat for several." if self.values.shape in ("texts", "mapping") else ""
        default = f"default: {self.default_text}" if self.default_text else ""
        notes = "; ".join(filter(None, (default, self.values.range)))
        return self.help + more + repeated + (f"  [{notes}]" if notes else "")


def option(default: Default, about: Option) -> Default:
    """Return the dataclass field of an option. Type checkers see the default's type."""
    metadata = {"option": about}
    if isinstance(default, dict):
        return field(default_factory=type(default), metadata=metadata)
    return field(default=default, metadata=metadata)
