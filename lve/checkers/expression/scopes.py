"""Assigns an expression's variables to places in the frame, and compiles comprehensions."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

from lve.checkers.expression.meter import too_many_steps
from lve.checkers.expression.source import ExpressionError, refused
from lve.plurals import amount

MAX_CLAUSES = 20
"""The most `for` clauses of one comprehension."""
Frame = list[Any]
"""The meter, followed by one place per variable."""
Closure = Callable[[Frame], Any]
_NODES_PER_UNIT = 16
UNSET = object()
"""Content of a place before it gets a value."""


class Scopes(ABC):
    """The part of the compiler for variables and comprehensions.

    Attributes:
        size: size of the frame so far.
        compiled: number of compiled nodes so far.
        scopes: name -> place of the variables in scope, innermost scope last.
        walrus: places of variables that `:=` assigns.
    """

    def __init__(self) -> None:
        self.size = 1
        self.compiled = 0
        self.scopes: list[dict[str, int]] = [{}]
        self.walrus: set[int] = set()

    @abstractmethod
    def compile(self, node: ast.AST) -> Closure:
        """Return a function of a frame that computes the node.

        Raises:
            ExpressionError: the node is outside the subset.
        """

    def turn_cost(self, before: int) -> int:
        """Return the cost of an iteration that computes all nodes compiled since `compiled` was
        `before`. A single operation on small values isn't charged, but many in a row are."""
        return 1 + (self.compiled - before) // _NODES_PER_UNIT

    def declare(self, name: str) -> int:
        """Give a variable of the innermost scope a place in the frame."""
        self.scopes[-1][name] = place = self.new_place()
        return place

    def new_place(self) -> int:
        """Return the next place in the frame."""
        self.size += 1
        return self.size - 1

    def lookup(self, name: str) -> int | None:
        """Return a variable's place; None if there is no such variable in scope."""
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return None

    def node_ListComp(self, node: ast.ListComp) -> Closure:
        items = self.generator(node.generators, lambda: self.compile(node.elt))
        return lambda frame: list(items(frame))

    def node_SetComp(self, node: ast.SetComp) -> Closure:
        items = self.generator(node.generators, lambda: self.compile(node.elt))
        return lambda frame: set(frame[0].hashed(list(items(frame))))

    def node_DictComp(self, node: ast.DictComp) -> Closure:
        pair = ast.Tuple(elts=[node.key, node.value], ctx=ast.Load())
        items = self.generator(node.generators, lambda: self.compile(pair))

        def build(frame: Frame) -> dict[object, object]:
            pairs = list(items(frame))
            frame[0].hashed([key for key, _ in pairs])
            return dict(pairs)

        return build

    def generator(
        self, loops: list[ast.comprehension], element: Callable[[], Closure]
    ) -> Callable[[Frame], Iterator[Any]]:
        """Compile `for ... if ...` clauses.

        Args:
            loops: the clauses.
            element: compiles the expression to yield; called when the variables are in scope.

        Returns:
            A function from a frame to an iterator over the values.
        """
        if len(loops) > MAX_CLAUSES:
            raise ExpressionError(
                f"more than {MAX_CLAUSES} `for` clauses", column=loops[0].target.col_offset + 1
            )
        loop, rest = loops[0], loops[1:]
        if loop.is_async:
            raise refused(loop.target, "async for")
        source = self.compile(loop.iter)
        before = self.compiled
        self.scopes.append({})
        store = self._target(loop.target)
        conditions = [self.compile(test) for test in loop.ifs]
        inner = self.generator(rest, element) if rest else None
        body = element() if inner is None else None
        self.scopes.pop()
        cost = self.turn_cost(before)

        def turns(frame: Frame) -> Iterator[Any]:
            meter = frame[0]
            for value in source(frame):
                meter.left -= cost
                if meter.left < 0:
                    raise too_many_steps()
                store(frame, value)
                for condition in conditions:
                    if not condition(frame):
                        break
                else:
                    if body is not None:
                        yield body(frame)
                    elif inner is not None:
                        yield from inner(frame)

        return turns

    def _target(self, node: ast.expr) -> Callable[[Frame, object], None]:
        if isinstance(node, ast.Name):
            place = self.declare(node.id)
            return lambda frame, value: frame.__setitem__(place, value)
        if isinstance(node, ast.Tuple | ast.List):
            stores = [self._target(element) for element in node.elts]

            def unpack(frame: Frame, value: object) -> None:
                parts = list(frame[0].iterated(value))
                if len(parts) != len(stores):
                    raise ValueError(f"expected {amount(len(stores), 'value')}, found {len(parts)}")
                for store, part in zip(stores, parts, strict=True):
                    store(frame, part)

            return unpack
        raise refused(node, "a loop over anything but names")
