"""Compiles calls: of lve's functions, of functions in modules, and of methods."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping

from lve.checkers.expression.arithmetic import Metered, int_, int_of
from lve.checkers.expression.functions import CONSTANTS, FUNCTIONS, MODULES, TYPES
from lve.checkers.expression.meter import Meter
from lve.checkers.expression.methods import METHOD_NAMES, METHODS, methods_of
from lve.checkers.expression.patterns import RE_FLAGS, RE_FUNCTIONS
from lve.checkers.expression.scopes import Closure, Frame, Scopes
from lve.checkers.expression.source import ExpressionError
from lve.named_tuples import NamedTuple
from lve.plurals import amount
from lve.suggest import did_you_mean

_MODULES = {**MODULES, "re": RE_FUNCTIONS}
_CONSTANTS: dict[str, Mapping[str, object]] = {**CONSTANTS, "re": RE_FLAGS}
_TAKES_FUNCTION = frozenset({"map", "filter"})
"""Functions whose first argument is a function."""
_TAKES_KEY = frozenset({"sorted", "min", "max"})
_ITERATORS = frozenset({"enumerate", "filter", "iter", "map", "reversed", "zip"})
"""Functions that return an iterator in Python. Here it is a list."""


class _Arguments(NamedTuple):
    """The compiled arguments of a call."""

    positional: list[tuple[bool, Closure]]
    """Each with whether a star stands before it."""
    options: list[tuple[str, Closure]]
    """Those with a keyword."""


class Calls(Scopes):
    """The part of the compiler for calls and attributes."""

    def node_Call(self, node: ast.Call) -> Closure:
        if isinstance(node.func, ast.Attribute):
            return self._attribute_call(node, node.func)
        if not isinstance(node.func, ast.Name):
            raise _not_callable(node)
        name = node.func.id
        if name == "isinstance" and self.lookup(name) is None:
            return self._isinstance(node)
        if self.lookup(name) is not None or name not in FUNCTIONS:
            raise _unknown(node, name, FUNCTIONS, "function")
        if name == "next" and not (node.args and _is_iterator(node.args[0])):
            raise _not_callable(node)
        return self._function_call(node, name, FUNCTIONS[name])

    def _function_call(self, node: ast.Call, name: str, function: Metered) -> Closure:
        arguments = self._arguments(node, name)
        positional = [argument for starred, argument in arguments.positional if not starred]
        simple = len(positional) == len(arguments.positional) and not arguments.options
        if simple and len(positional) == 1:
            only = positional[0]
            if function is int_:
                function = int_of
            return lambda frame: function(frame[0], only(frame))

        def call(frame: Frame) -> object:
            args, options = _evaluated(frame, arguments)
            return function(frame[0], *args, **options)

        return call

    def _attribute_call(self, node: ast.Call, attribute: ast.Attribute) -> Closure:
        owner, name = attribute.value, attribute.attr
        if isinstance(owner, ast.Name) and self.lookup(owner.id) is None:
            function = self._named_function(attribute)
            if function is not None:
                return self._function_call(node, name, function)
            if owner.id in TYPES or owner.id in _MODULES:
                names = METHODS.get(TYPES.get(owner.id, type(None)), {})
                what = f"{'method' if owner.id in TYPES else 'function'} of {owner.id}"
                raise _unknown(node, name, {**names, **_MODULES.get(owner.id, {})}, what)
        if name not in METHOD_NAMES:
            raise _unknown(node, name, METHOD_NAMES, "method")
        return self._method_call(self.compile(owner), name, self._arguments(node, name))

    def _method_call(self, owner: Closure, name: str, arguments: _Arguments) -> Closure:
        def call(frame: Frame) -> object:
            value = owner(frame)
            method = _method(value, name)
            args, options = _evaluated(frame, arguments)
            return method(frame[0], value, *args, **options)

        return call

    def _bound_method(self, node: ast.Attribute) -> Closure:
        """Compile a method of a value as a function, such as `words.count`."""
        owner, name = self.compile(node.value), node.attr

        def bind(frame: Frame) -> Callable[..., object]:
            value = owner(frame)
            method = _method(value, name)
            return lambda *values: method(frame[0], value, *values)

        return bind

    def _arguments(self, node: ast.Call, name: str) -> _Arguments:
        takes_function = isinstance(node.func, ast.Name) and name in _TAKES_FUNCTION
        positional = []
        for i, argument in enumerate(node.args):
            if takes_function and i == 0:
                positional.append((False, self._callable(argument)))
            elif isinstance(argument, ast.Starred):
                positional.append((True, self.compile(argument.value)))
            else:
                positional.append((False, self._argument(argument)))
        options = []
        for keyword in node.keywords:
            if keyword.arg is None:
                raise ExpressionError(
                    "** can't be used in a call here", column=keyword.col_offset + 1
                )
            is_key = keyword.arg == "key" and name in _TAKES_KEY
            value = self._callable(keyword.value) if is_key else self._argument(keyword.value)
            options.append((keyword.arg, value))
        return _Arguments(positional, options)

    def _argument(self, node: ast.expr) -> Closure:
        if isinstance(node, ast.GeneratorExp):
            return self.generator(node.generators, lambda: self.compile(node.elt))
        return self.compile(node)

    def _callable(self, node: ast.expr) -> Closure:
        """Compile an argument that must be a function or None: `len`, `str.lower`, `words.count`,
        `lambda x: ...`."""
        if isinstance(node, ast.Lambda):
            return self._inner_lambda(node)
        if isinstance(node, ast.Constant) and node.value is None:
            return lambda frame: None
        function = self._named_function(node)
        if function is None and isinstance(node, ast.Attribute) and node.attr in METHOD_NAMES:
            return self._bound_method(node)
        if function is None:
            raise ExpressionError(
                "expected a function such as `len`, `str.lower` or a lambda",
                column=node.col_offset + 1,
            )
        return lambda frame: lambda *values: function(frame[0], *values)

    def _named_function(self, node: ast.expr) -> Metered | None:
        if isinstance(node, ast.Name) and self.lookup(node.id) is None:
            return FUNCTIONS.get(node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = node.value.id
            if self.lookup(owner) is not None:
                return None
            kind = TYPES.get(owner, type(None))
            if node.attr in METHODS.get(kind, {}):
                return _unbound(kind, node.attr)
            return _MODULES.get(owner, {}).get(node.attr)
        return None

    def _inner_lambda(self, node: ast.Lambda) -> Closure:
        arguments = node.args
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults:
            raise ExpressionError(
                "a lambda inside the expression takes plain arguments only",
                column=node.col_offset + 1,
            )
        before = self.compiled
        self.scopes.append({})
        places = [self.declare(a.arg) for a in (*arguments.posonlyargs, *arguments.args)]
        body = self.compile(node.body)
        self.scopes.pop()
        cost = self.turn_cost(before)

        def make(frame: Frame) -> Callable[..., object]:
            def call(*values: object) -> object:
                if len(values) != len(places):
                    raise TypeError(
                        f"the lambda takes {amount(len(places), 'value')}, not {len(values)}"
                    )
                frame[0].charge(cost)
                for place, value in zip(places, values, strict=True):
                    frame[place] = value
                return body(frame)

            return call

        return make

    def _isinstance(self, node: ast.Call) -> Closure:
        if len(node.args) != 2 or node.keywords:
            raise _not_callable(node)
        listed = node.args[1]
        names = listed.elts if isinstance(listed, ast.Tuple) else _united(listed)
        kinds = tuple(
            TYPES[name.id] for name in names if isinstance(name, ast.Name) and name.id in TYPES
        )
        if len(kinds) != len(names):
            raise ExpressionError(
                f"isinstance() takes the types {', '.join(TYPES)}", column=listed.col_offset + 1
            )
        value = self.compile(node.args[0])
        return lambda frame: isinstance(value(frame), kinds)

    def node_Attribute(self, node: ast.Attribute) -> Closure:
        owner = node.value
        if isinstance(owner, ast.Name) and self.lookup(owner.id) is None:
            constants = _CONSTANTS.get(owner.id, {})
            if node.attr in constants:
                constant = constants[node.attr]
                return lambda frame: constant
        if node.attr in METHOD_NAMES:
            raise ExpressionError(
                f"'.{node.attr}' has to be called",
                column=node.col_offset + 1,
                hint=f"write `.{node.attr}()`",
            )
        raise ExpressionError(
            f"the attribute '.{node.attr}' can't be read in a checker's expression",
            column=node.col_offset + 1,
        )


def _evaluated(frame: Frame, arguments: _Arguments) -> tuple[list[object], dict[str, object]]:
    positional, options = arguments
    args: list[object] = []
    for starred, argument in positional:
        if starred:
            args.extend(frame[0].iterated(argument(frame)))
        else:
            args.append(argument(frame))
    return args, {name: value(frame) for name, value in options}


def _method(value: object, name: str) -> Metered:
    method = methods_of(value).get(name)
    if method is None:
        raise TypeError(f"{type(value).__name__} has no method {name}() here")
    return method


def _is_iterator(node: ast.expr) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in _ITERATORS
    return isinstance(node, ast.GeneratorExp)


def _united(node: ast.expr) -> list[ast.expr]:
    """Return the types of a union such as `int | float`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_united(node.left), *_united(node.right)]
    return [node]


def _unbound(kind: type, name: str) -> Metered:
    """Return the method of a type as a function whose first argument is the value."""
    method = METHODS[kind][name]

    def call(meter: Meter, *values: object, **options: object) -> object:
        if not values or type(values[0]) is not kind:
            raise TypeError(f"{kind.__name__}.{name}() takes a {kind.__name__} first")
        return method(meter, *values, **options)

    return call


def _unknown(node: ast.Call, name: str, names: Iterable[str], what: str) -> ExpressionError:
    hint = did_you_mean(name, names) or "docs/checkers.md lists what there is"
    return ExpressionError(f"no {what} '{name}' here", column=node.func.col_offset + 1, hint=hint)


def _not_callable(node: ast.Call) -> ExpressionError:
    return ExpressionError("this can't be called here", column=node.col_offset + 1)
