"""The names that a configuration has, and what its expressions need beside them."""

from __future__ import annotations

import ast
from typing import Protocol

from lve.data_classes import dataclass, field
from lve.extensions.importing.opencompass.functions import FUNCTIONS
from lve.extensions.importing.opencompass.reading_cost import ImportedName, NotDataError

BUILTINS = frozenset(
    name.removeprefix("builtins.") for name in FUNCTIONS if name.startswith("builtins.")
) | {"globals", "locals", "open", "ValueError", "eval", "object", "NotImplementedError"}


@dataclass(slots=True)
class Scope:
    """The names of a module, a function or a comprehension."""

    names: dict[str, object] = field(default_factory=dict)
    outer: Scope | None = None
    opened: dict[str, str] = field(default_factory=dict)
    """Name -> text of the files that a `with` has open."""

    def find(self, name: str) -> object:
        """Return the value of a name.

        Raises:
            NotDataError: there is none.
        """
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        if name in BUILTINS:
            return ImportedName("builtins", name)
        raise NotDataError(f"the name {name} isn't defined")

    @property
    def module(self) -> Scope:
        """The outermost scope."""
        return self if self.outer is None else self.outer.module


@dataclass(frozen=True, slots=True)
class OwnFunction:
    """A function that the configuration defines."""

    name: str
    arguments: ast.arguments
    body: tuple[ast.stmt, ...]
    scope: Scope
    defaults: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class OpenedText:
    """A file that `open` has opened."""

    text: str


class Surroundings(Protocol):
    """What expressions need beside their scope."""

    def data_of(self, name: ImportedName) -> object:
        """Return the data that a name of the package has."""

    def read(self, path: object) -> str:
        """Return the text of a file."""

    def run_body(self, body: tuple[ast.stmt, ...], scope: Scope) -> object:
        """Run a function's body, and return what it returns."""
