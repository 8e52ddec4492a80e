"""Describes an option of a run (`Option`). The values that it accepts are in `lve.options.values`.

`Option` is a named tuple because every start of `lve` and of pytest creates all options, and a
frozen dataclass takes more than twice the time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING, Literal, TypeVar

from lve.named_tuples import NamedTuple
from lve.options.values import Values

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
