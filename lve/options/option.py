"""Describes an option of a run (`Option`) and the values that it accepts (`Values`).

A wrong value gets the same message on the command line, in pytest, in Python and from a session's
file. The classes are named tuples because every start of `lve` and of pytest creates all options,
and a frozen dataclass takes more than twice the time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import field
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from lve.escape import excerpt

if TYPE_CHECKING:
    from lve.settings.settings import Caps

Default = TypeVar("Default")
Interface = Literal["run", "record", "score", "check", "list", "calibrate", "pytest", "python"]
"""Where an option can be given: a verb of the command line, pytest, or `lve.run`."""
EVERYWHERE: tuple[Interface, ...] = ("run", "record", "pytest", "python")
ASKING: tuple[Interface, ...] = (*EVERYWHERE, "score", "check", "calibrate")
"""Interfaces where checkers may ask models."""
RUN_AND_RECORD: tuple[Interface, ...] = ("run", "record", "python")
RUN_AND_PYTEST: tuple[Interface, ...] = ("run", "pytest", "python")
CHOOSING: tuple[Interface, ...] = ("run", "check", "list", "pytest", "python")
"""Interfaces where tests and instances are selected."""
RUN: tuple[Interface, ...] = ("run", "python")
CALIBRATE: Interface = "calibrate"
OnResume = Literal["fixed", "kept", "limited", "given_again", "not_stored"]
"""What becomes of an option when a session is resumed.

* `fixed`: it determines the results, so it is restored and can't be changed.
* `kept`: it is restored unless it is given again.
* `limited`: like `kept`, but only up to its default; a higher value must be given again.
* `given_again`: it grants a right, so it isn't restored and must be given again.
* `not_stored`: it isn't stored in the session.
"""
Shape = Literal["flag", "text", "path", "whole", "number", "texts", "mapping"]
GATES = ("auto", "significant", "any")
"""What counts as a regression, as in schemas/settings.schema.json."""
MAX_WHOLE = 10**12
"""The largest whole number that an option accepts; more than any run needs."""


class Values(NamedTuple):
    """The values that an option accepts."""

    shape: Shape
    wanted: str
    """The accepted values in words, for messages: `a whole number from 1 on`."""
    accepts: Callable[[Any], bool]
    range: str = ""
    """The accepted range as click's help shows it: `x>=1`."""
    metavar: str | None = None
    """The placeholder of a value in help; a flag has none."""
    refusal_of_text: Callable[[Any], str | None] | None = None
    """Parses a text: returns why it is refused, or None. For values with a syntax of their own."""

    def refusal(self, value: object) -> str | None:
        """Return why a value is refused, such as `a whole number from 1 on, not 0`, or None."""
        if not self.accepts(value):
            return f"{self.wanted}, not {_shown(value)}"
        if isinstance(value, int) and value > MAX_WHOLE and self.shape == "whole":
            return f"a whole number up to {MAX_WHOLE:,}, not {_shown(value)}"
        return self.refusal_of_text(value) if self.refusal_of_text else None

    def number(self, text: str) -> int | float:
        """Return the number that the user typed as `text`.

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
    """Return whether a value is a finite number in the range of a float."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return -sys.float_info.max <= value <= sys.float_info.max


def _is_mapping(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(name, str) for name in value)


def _are_pairs(value: Any) -> bool:
    return _is_mapping(value) and all(isinstance(one, str) and one for one in value.values())


def _are_texts(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(one, str) for one in value)


def _text_values(
    wanted: str, metavar: str | None = None, refusal: Callable[[Any], str | None] | None = None
) -> Values:
    return Values(
        "text",
        wanted,
        lambda value: isinstance(value, str),
        metavar=metavar,
        refusal_of_text=refusal,
    )


FLAG = Values("flag", "True or False", lambda value: isinstance(value, bool))
TEXT = _text_values("a text")
TEXTS = Values("texts", "a list of names", _are_texts, metavar="NAME")
MAPPING = Values("mapping", "a dict with texts as keys", _is_mapping, metavar="NAME=VALUE")
PAIRS = Values("mapping", "a dict of texts", _are_pairs, metavar="NAME=NAME")
EXPRESSION = _text_values("an expression", "EXPR", _refusal_of_expression)
ROWS = _text_values("row numbers", "ROWS", _refusal_of_rows)
SHARD = _text_values("a shard", "N/TOTAL", _refusal_of_shard)
GATE = _text_values(
    "`auto`, `significant` or `any`",
    "MODE",
    lambda text: None if text in GATES else f"`auto`, `significant` or `any`, not {_shown(text)}",
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
    """Everything about an option except its name, type and default."""

    values: Values
    help: str
    interfaces: tuple[Interface, ...]
    on_resume: OnResume
    at_most: Callable[[Caps], int | None] | None = None
    """Returns the largest value that a session may restore; None: no limit."""
    picks: bool = False
    """Whether it can leave out some of a test's instances."""
    word: str = ""
    """Its name on the command line and in pytest, if it isn't the field's."""
    short: str = ""
    """Its short form on the command line: `-k`."""
    flag_value: str = ""
    """The value of the option on the command line if none is given; empty: one is required."""
    pytest_word: str = ""
    """Its name in pytest, if it isn't `word`."""
    metavar: str | None = None
    """The placeholder of its value in help, if it isn't that of `values`."""
    default_text: str = ""
    """Its default in words, for help."""
    python_word: str = ""
    """Its name as an argument of `lve.run`, if it isn't the field's."""
    python_type: str = ""
    """Its type as an argument of `lve.run`, if it isn't the field's."""
    python_help: str = ""
    """Its description for `lve.run`, if it isn't `help`."""

    @property
    def shown_metavar(self) -> str | None:
        """The placeholder of its value in help."""
        return self.metavar or self.values.metavar

    @property
    def command_line_help(self) -> str:
        """Its help on the command line, with default and range as click writes them."""
        placeholder = (self.shown_metavar or "").strip("[]")
        default = f" {placeholder} is {self.flag_value} if left out." if self.flag_value else ""
        return self._help(default)

    @property
    def pytest_help(self) -> str:
        """Its help in pytest, where its value can't be left out."""
        return self._help("")

    def _help(self, more: str) -> str:
        repeated = " Repeat for several." if self.values.shape in ("texts", "mapping") else ""
        default = f"default: {self.default_text}" if self.default_text else ""
        notes = "; ".join(filter(None, (default, self.values.range)))
        return self.help + more + repeated + (f"  [{notes}]" if notes else "")


def option(default: Default, about: Option) -> Default:
    """Return a dataclass field with a default and its `Option`. For type checkers, it has the type
    of the default."""
    metadata = {"option": about}
    if isinstance(default, dict):
        return field(default_factory=type(default), metadata=metadata)
    return field(default=default, metadata=metadata)
