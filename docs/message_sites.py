"""Finds all messages in lve's code with their codes: for docs/messages.md, and for a test that
every message has a code.

It reads syntax trees and runs nothing.
"""

from __future__ import annotations

import ast
import gc
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

from lve.plurals import amount, amount_of

PACKAGE = Path(__file__).parents[1] / "lve"
NOT_ERRORS = {
    "Problem": 0, "problem": 0, "row_problem": 2, "with_code": 0, "_whole": 1,
    "Finding": 0, "Complaint": 0, "_find": 0, "_stop": 0, "_problem": 1,
}  # fmt: skip
"""Functions and classes, except errors, that make a message -> index of the message's argument."""
PLACES = {("lve/prompts/messages/checks.py", "_problem"): 3}
"""The same for single files."""
BUILTIN = frozenset({"Exception", "ValueError", "OSError", "NamedTuple"})
OTHERS = ("click.", "pytest.", "plugin.", "self.plugin.")
"""Prefixes of calls that don't make messages of lve."""
LOOKALIKES = frozenset({"_problem", "_whole", "problem"})
"""Names that other functions also have, which take no code."""
BY_PLACE = {"Finding": "syntax", "_find": "syntax", "_stop": "syntax", "Complaint": "wrong_value"}
"""Functions and classes that make a message -> its default code."""
DOCTOR = "lve/extensions/doctor/"
"""`lve doctor`, whose findings are no messages with codes."""
SECOND = frozenset({"ArgumentError"})
"""Classes of errors whose message is the second argument."""
BROAD = frozenset({"error", "usage", "checker", "session"})
"""Default codes that are too general: such errors need a code of their own."""


class Site(NamedTuple):
    """A call that makes a message."""

    file: str
    """Relative to the package's parent."""
    line: int
    name: str
    """Name of the called class or function."""
    codes: tuple[str, ...]
    """The code; several if it depends on a condition; none if it is set elsewhere."""
    is_broad: bool
    """Whether the code is one of `BROAD`."""
    texts: tuple[str, ...]
    """The message, with `…` for inserted values; none if it is made elsewhere."""


class _Module:
    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.tree = ast.parse(text)

    @classmethod
    def of(cls, file: Path) -> _Module:
        return cls(file.relative_to(PACKAGE.parent).as_posix(), file.read_text(encoding="utf-8"))

    @cached_property
    def nodes(self) -> list[ast.AST]:
        return list(ast.walk(self.tree))

    @cached_property
    def _around(self) -> dict[ast.AST, ast.AST]:
        """Node -> its parent."""
        return {inner: node for node in self.nodes for inner in ast.iter_child_nodes(node)}

    @cached_property
    def own_constants(self) -> dict[str, str]:
        return {
            target.id: node.value.value
            for node in self.tree.body
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
            for target in node.targets
            if isinstance(target, ast.Name) and isinstance(node.value.value, str)
        }

    @cached_property
    def imported(self) -> dict[str, str]:
        """Name -> the file of this package that it is imported from."""
        return {
            one.asname or one.name: f"{node.module.replace('.', '/')}.py"
            for node in self.nodes
            if isinstance(node, ast.ImportFrom) and node.module
            for one in node.names
        }

    @cached_property
    def other_classes(self) -> frozenset[str]:
        """Classes of this module that aren't errors of lve."""
        classes = (node for node in self.nodes if isinstance(node, ast.ClassDef))
        return frozenset(
            node.name
            for node in classes
            if node.bases and all(ast.unparse(base) in BUILTIN for base in node.bases)
        )

    def assigned(self, name: str, call: ast.AST) -> list[ast.Assign]:
        """Return the assignments that may set a variable at a call: those in the nearest earlier
        statement, in the call's block or an enclosing one."""
        node: ast.AST | None = call
        while node is not None:
            around = self._around.get(node)
            for block in _blocks(around):
                if node in block:
                    for before in reversed(block[: block.index(node)]):
                        if found := [one for one in ast.walk(before) if _assigns(one, name)]:
                            return found  # type: ignore[return-value]
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                return []
            node = around
        return []


def _blocks(node: ast.AST | None) -> Iterator[list[ast.AST]]:
    """Yield the lists of statements in a node."""
    for name in ("body", "orelse", "finalbody", "handlers"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block


def _assigns(node: ast.AST, name: str) -> bool:
    if not isinstance(node, ast.Assign):
        return False
    names = (one for target in node.targets for one in ast.walk(target))
    return any(isinstance(one, ast.Name) and one.id == name for one in names)


@cache
def modules() -> dict[str, _Module]:
    """Return the package's modules by file, without the doctor's."""
    files = (file for file in sorted(PACKAGE.rglob("*.py")) if DOCTOR not in file.as_posix())
    gc.disable()  # it would look through all trees again and again: half of the time
    try:
        return {module.name: module for module in map(_Module.of, files)}
    finally:
        gc.enable()


@cache
@cache
def find_sites() -> list[Site]:
    """Return all places that make a message, in the order of files and lines."""
    classes = classes_of(modules().values())
    found = []
    for module in modules().values():
        constants = _constants(module, modules())
        sites = (_site(module, call, classes, constants) for call in _calls(module))
        found += [site for site in sites if site is not None]
    return found


def _calls(module: _Module) -> Iterator[ast.Call]:
    found = (node for node in module.nodes if isinstance(node, ast.Call))
    return iter(sorted(found, key=lambda call: (call.lineno, call.col_offset)))


def _constants(module: _Module, known: Mapping[str, _Module]) -> dict[str, str]:
    """Return the texts of the constants that a module has or imports, by name."""
    found = {
        name: known[file].own_constants[name]
        for name, file in module.imported.items()
        if file in known and name in known[file].own_constants
    }
    return {**found, **module.own_constants}


def classes_of(several: Iterable[_Module]) -> dict[str, str | None]:
    """Return the code of each class of errors; None where each error brings its own."""
    found: dict[str, str | None] = {"LveError": "error", "SpecError": None}
    defined = [n for m in several for n in m.nodes if isinstance(n, ast.ClassDef)]
    for _ in range(6):  # as deep as the tree of errors is
        for node in defined:
            bases = [ast.unparse(base).rpartition(".")[2] for base in node.bases]
            if not set(bases) & found.keys() or node.name in found:
                continue
            own = [k.value.value for k in node.keywords if k.arg == "code"]  # type: ignore[attr-defined]
            found[node.name] = own[0] if own else found[next(b for b in bases if b in found)]
    return found


def _site(
    module: _Module,
    call: ast.Call,
    classes: Mapping[str, str | None],
    constants: Mapping[str, str],
) -> Site | None:
    name = str(getattr(call.func, "attr", "") or getattr(call.func, "id", ""))
    if name in ("SpecError", "LveError") or (name not in classes and name not in NOT_ERRORS):
        return None
    if name in module.other_classes or ast.unparse(call.func).startswith(OTHERS):
        return None
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    if name in LOOKALIKES and "code" not in given:
        return None
    place = PLACES.get((module.name, name), NOT_ERRORS.get(name, 1 if name in SECOND else 0))
    at = next((n for n in ("code", "kind", "stage") if n in given), None)
    texts = tuple(_texts(call.args[place : place + 1], module, call, constants))
    if name == "with_code":
        codes: tuple[str, ...] = tuple(_words(call.args[1], constants))
    elif at is not None:
        prefix = "template_" if at == "stage" else ""
        codes = tuple(prefix + word for word in _words(given[at], constants))
    elif name in NOT_ERRORS:
        codes = (BY_PLACE[name],) if name in BY_PLACE else ()
    else:
        codes = tuple(filter(None, [classes[name]]))
    is_broad = at is None and name in classes and classes[name] in BROAD
    return Site(module.name, call.lineno, name, codes, is_broad, texts)


def _words(node: ast.AST, constants: Mapping[str, str]) -> Iterator[str]:
    """The texts that an expression may be: `"a" if x else "b"` is two."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.Name) and node.id in constants:
        yield constants[node.id]
    elif isinstance(node, ast.IfExp):
        yield from _words(node.body, constants)
        yield from _words(node.orelse, constants)


def _texts(
    arguments: Sequence[ast.AST], module: _Module, call: ast.Call, constants: Mapping[str, str]
) -> Iterator[str]:
    for argument in arguments:
        if isinstance(argument, ast.Name) and argument.id not in constants:
            for node in module.assigned(argument.id, call):
                yield from _assigned(node, argument.id, constants)
        else:
            yield from _spelled(argument, constants)


def _assigned(node: ast.Assign, name: str, constants: Mapping[str, str]) -> Iterator[str]:
    """The texts that an assignment gives a variable, also as one of several."""
    for target in node.targets:
        if isinstance(target, ast.Name) and target.id == name:
            yield from _spelled(node.value, constants)
        elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            for one, value in zip(target.elts, node.value.elts, strict=False):
                if isinstance(one, ast.Name) and one.id == name:
                    yield from _spelled(value, constants)


def _spelled(node: ast.AST, constants: Mapping[str, str]) -> Iterator[str]:
    """The texts that an expression may be, with `…` for what is only known when it runs."""
    if isinstance(node, ast.IfExp):
        yield from _spelled(node.body, constants)
        yield from _spelled(node.orelse, constants)
        return
    if isinstance(node, ast.List):
        for element in node.elts:
            yield from _spelled(element, constants)
        return
    text = _joined(node, constants)
    if text is not None and re.search(r"[a-z]{2}", text):
        yield text


def _joined(node: ast.AST, constants: Mapping[str, str]) -> str | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.Name):
        return constants.get(node.id)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = [_joined(one, constants) or "…" for one in (node.left, node.right)]
        return "".join(parts)
    if isinstance(node, ast.JoinedStr):
        parts = [
            str(one.value) if isinstance(one, ast.Constant) else _filled(one, constants)
            for one in node.values
        ]
        return "".join(parts)
    return None


def _filled(node: ast.AST, constants: Mapping[str, str]) -> str:
    """A value in an f-string: a constant's text, else `…`."""
    value = node.value if isinstance(node, ast.FormattedValue) else node
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        words = [str(arg.value) for arg in value.args if isinstance(arg, ast.Constant)]
        if value.func.id == "amount" and words:
            return amount(2, *words).replace("2", "…")
        if value.func.id == "amount_of" and words:
            return amount_of(2, 2, *words).replace("2", "…")
    return constants.get(value.id, "…") if isinstance(value, ast.Name) else "…"
