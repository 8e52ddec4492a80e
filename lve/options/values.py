"""The values that an option accepts (`Values`), and how they are read.

What a user types (on the command line, in the environment, in pytest's ini file) and what comes
from Python or a session's file is converted here, and refused here in the same words. `Values` is a
named tuple for the reason in `lve.options.option`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from lve.escape import excerpt
from lve.named_tuples import NamedTuple

Shape = Literal["flag", "text", "path", "whole", "number", "texts", "mapping"]
GATES = ("auto", "significant", "any")
"""What counts as a regression, as in schemas/settings.schema.json."""
MAX_WHOLE = 10**12
"""The largest whole number that an option accepts; more than any run needs."""
ON = ("1", "true", "t", "yes", "y", "on")
OFF = ("0", "false", "f", "no", "n", "off", "")


class Values(NamedTuple):
    """The values that an option accepts."""

    shape: Shape
    in_words: str
    """The accepted values in words, for messages: `a whole number from 1 on`."""
    accepts: Callable[[Any], bool]
    range: str = ""
    """The accepted range as click's help shows it: `x>=1`."""
    metavar: str | None = None
    """The placeholder of a value in help; a flag has none."""
    parser: Callable[[Any], Any] | None = None
    """Parses a text, or the texts of a mapping, with a syntax of their own; its ValueError says
    why they are refused."""

    def refusal(self, value: object) -> str | None:
        """Return why a value is refused, such as `a whole number from 1 on, not 0`, or None."""
        if not self.accepts(value):
            return f"{self.in_words}, not {_shown(value)}"
        if isinstance(value, int) and value > MAX_WHOLE and self.shape == "whole":
            return f"a whole number up to {MAX_WHOLE:,}, not {_shown(value)}"
        try:
            if self.parser and self.shape == "text":
                self.parser(value)
        except ValueError as error:
            return str(error)
        return None

    def typed(self, text: Any, folder: Path | None = None) -> Any:
        """Return the value that the user typed.

        Args:
            text: its text; several for `texts` and `mapping`. A flag may be a bool already.
            folder: what a path is relative to; the current folder if None.

        Raises:
            ValueError: it isn't accepted. The arguments of the error are messages.
        """
        if self.shape == "texts":
            return tuple(text)
        if self.shape == "mapping":
            return self._mapping(text)
        if self.shape == "path":
            return (folder or Path.cwd()) / text
        value = text
        if self.shape == "flag" and isinstance(text, str):
            value = _flag(text)
        elif self.shape in ("whole", "number"):
            value = self._number(text)
        if refusal := self.refusal(value):
            raise ValueError(f"must be {refusal}")
        return value

    def from_python(self, value: Any) -> Any:
        """Return a value that was given in Python or JSON, converted to what the option has: a
        tuple, a dict, a path. What can't be converted stays: `refusal` says why it is refused."""
        if self.shape == "texts" and isinstance(value, Sequence):
            return (value,) if isinstance(value, str) else tuple(value)
        if self.shape == "mapping" and value is None:
            return {}
        if self.shape == "path" and self.accepts(value):
            return Path(value)
        return value

    def _number(self, text: str) -> int | float:
        try:
            return int(text) if self.shape == "whole" else float(text)
        except ValueError:
            raise ValueError(f"must be {self.in_words}, not '{excerpt(text)}'") from None

    def _mapping(self, texts: Sequence[str]) -> dict[str, Any]:
        """Return the names and values of `NAME=VALUE` texts."""
        pairs = [text.partition("=") for text in texts]
        problems = [
            f"'{text}' is not NAME=VALUE"
            for text, (name, equals, value) in zip(texts, pairs, strict=True)
            if not (name and equals and self.accepts({name: value}))
        ]
        counts = Counter(name for name, _, _ in pairs)
        problems += [f"'{name}' is given twice" for name in counts if counts[name] > 1]
        if problems:
            raise ValueError(*problems)
        values = {name: value for name, _, value in pairs}
        return self.parser(values) if self.parser and values else values


def _flag(text: str) -> bool:
    """Return the value of a flag, in any of the words that click and pytest accept."""
    word = text.strip().lower()
    if word not in (*ON, *OFF):
        raise ValueError(f"'{text}' is neither on (1, true, yes) nor off (0, false, no)")
    return word in ON


def _late(module: str, function: str) -> Callable[[object], object]:
    """Return a function of a module that is imported when it is called: it compiles patterns."""
    return lambda text: getattr(import_module(f"lve.options.{module}"), function)(text)


def _shown(value: object) -> str:
    try:
        return excerpt(repr(value))
    except ValueError:  # Python can't print a number of more than 4,300 digits
        return "one with thousands of digits"


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    """Return whether a value is a finite number in the range of a float."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return -sys.float_info.max <= value <= sys.float_info.max


def _is_mapping(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(name, str) for name in value)


def _are_pairs(value: object) -> bool:
    return (
        isinstance(value, Mapping)
        and _is_mapping(value)
        and all(isinstance(text, str) and text for text in value.values())
    )


def _are_texts(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(text, str) for text in value)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


FLAG = Values("flag", "True or False", lambda value: isinstance(value, bool))
TEXT = Values("text", "a text", _is_text)
TEXTS = Values("texts", "a list of names", _are_texts, metavar="NAME")
MAPPING = Values("mapping", "a dict with texts as keys", _is_mapping, metavar="NAME=VALUE")
MODEL_ARGS = MAPPING._replace(parser=_late("typed_args", "typed_model_args"))
PAIRS = Values("mapping", "a dict of texts", _are_pairs, metavar="NAME=NAME")
EXPRESSION = Values(
    "text", "an expression", _is_text, "", "EXPR", _late("match_expression", "parse_expression")
)


def _attack_names(text: str) -> object:
    from lve.extension_table import extension_part  # late: pytest starts without it

    return extension_part("names of attacks")(text)


ATTACKS = Values("text", "names of attacks", _is_text, "", "NAMES", _attack_names)
ROWS = Values("text", "row numbers", _is_text, "", "ROWS", _late("row_numbers", "parse_rows"))
SHARD = Values("text", "a shard", _is_text, "", "N/TOTAL", _late("shard_number", "parse_shard"))
GATE = Values(
    "text", "`auto`, `significant` or `any`", lambda value: value in GATES, metavar="MODE"
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
