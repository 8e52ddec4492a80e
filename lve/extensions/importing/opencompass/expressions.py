"""Computes the expressions of a configuration without running it: literals, names, calls of known
functions, formats, comprehensions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lve.escape import excerpt
from lve.extensions.importing.opencompass.functions import FUNCTIONS, formatted
from lve.extensions.importing.opencompass.methods import METHODS, Operations
from lve.extensions.importing.opencompass.reading_cost import (
    SCALARS,
    ImportedName,
    NotDataError,
    Work,
    kind_of,
)
from lve.extensions.importing.opencompass.scope import (
    OpenedText,
    OwnFunction,
    Scope,
    Surroundings,
)


class Expressions:
    """Computes expressions."""

    def __init__(self, work: Work, surroundings: Surroundings) -> None:
        self.work = work
        self.operations = Operations(work)
        self.surroundings = surroundings

    def value(self, node: ast.expr, scope: Scope) -> Any:
        """Return the value of an expression.

        Raises:
            NotDataError: it can't be computed without running code.
        """
        self.work.step()
        compute = _BY_KIND.get(type(node))
        if compute is None:
            raise NotDataError(f"{type(node).__name__} isn't supported", node.lineno)
        self.work.enter()
        try:
            return compute(self, node, scope)
        except NotDataError as error:
            error.line = error.line or node.lineno
            raise
        except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as error:
            why = f"{type(error).__name__}: {excerpt(str(error), 200)}"
            raise NotDataError(why, node.lineno) from None
        finally:
            self.work.leave()

    def data(self, node: ast.expr, scope: Scope) -> Any:
        """Return the value of an expression whose items are used; data of the package is read."""
        value = self.value(node, scope)
        if isinstance(value, ImportedName) and value.module != "builtins":
            return self.surroundings.data_of(value)
        return value

    def _constant(self, node: ast.Constant, scope: Scope) -> object:
        if not isinstance(node.value, SCALARS):
            raise NotDataError(f"a {type(node.value).__name__} isn't supported")
        return self.work.number(node.value)

    def _name(self, node: ast.Name, scope: Scope) -> object:
        return scope.find(node.id)

    def _list(self, node: ast.List | ast.Tuple, scope: Scope) -> object:
        items = list(self._spread(node.elts, scope))
        return items if isinstance(node, ast.List) else tuple(items)

    def _set(self, node: ast.Set, scope: Scope) -> object:
        return {self.work.key(item) for item in self._spread(node.elts, scope)}

    def _spread(self, nodes: list[ast.expr], scope: Scope) -> Iterator[object]:
        for node in nodes:
            if isinstance(node, ast.Starred):
                yield from self.work.items(self.data(node.value, scope))
            else:
                yield self.value(node, scope)

    def _dict(self, node: ast.Dict, scope: Scope) -> object:
        items: dict[object, object] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                items.update(self._object(value, scope))
            else:
                items[self.work.key(self.value(key, scope))] = self.value(value, scope)
        return items

    def _object(self, node: ast.expr, scope: Scope) -> dict[Any, object]:
        value = self.data(node, scope)
        if not isinstance(value, dict):
            raise NotDataError(f"{kind_of(value)} is no dict")
        self.work.step(len(value))
        return value

    def _f_string(self, node: ast.JoinedStr, scope: Scope) -> str:
        parts = [str(self.value(part, scope)) for part in node.values]
        self.work.text(sum(map(len, parts)))
        return "".join(parts)

    def _field(self, node: ast.FormattedValue, scope: Scope) -> str:
        value = self.value(node.value, scope)
        spec = str(self.value(node.format_spec, scope)) if node.format_spec else ""
        if node.conversion == ord("r"):
            value = repr(self.work.copied(value))
        return formatted(self.work, value, spec)

    def _operation(self, node: ast.BinOp, scope: Scope) -> object:
        left, right = self.data(node.left, scope), self.data(node.right, scope)
        return self.operations.combined(node.op, left, right)

    def _signed(self, node: ast.UnaryOp, scope: Scope) -> object:
        return self.operations.signed(node.op, self.value(node.operand, scope))

    def _both(self, node: ast.BoolOp, scope: Scope) -> object:
        value: object = None
        for part in node.values:
            value = self.value(part, scope)
            if bool(value) is isinstance(node.op, ast.Or):
                break
        return value

    def _comparison(self, node: ast.Compare, scope: Scope) -> bool:
        left = self.value(node.left, scope)
        for op, part in zip(node.ops, node.comparators, strict=True):
            right = self.value(part, scope)
            if isinstance(op, ast.In | ast.NotIn) and isinstance(right, ImportedName):
                right = self.surroundings.data_of(right)
            if not self.operations.holds(op, left, right):
                return False
            left = right
        return True

    def _choice(self, node: ast.IfExp, scope: Scope) -> object:
        return self.value(node.body if self.value(node.test, scope) else node.orelse, scope)

    def _item(self, node: ast.Subscript, scope: Scope) -> object:
        owner: Any = self.data(node.value, scope)
        if isinstance(node.slice, ast.Slice):
            bounds = (node.slice.lower, node.slice.upper, node.slice.step)
            selected = slice(*(bound and self.value(bound, scope) for bound in bounds))
            self.operations.count(owner, len(owner))
            return owner[selected]
        key = self.work.key(self.value(node.slice, scope))
        if not isinstance(owner, str | list | tuple | dict | range):
            raise NotDataError(f"{kind_of(owner)} has no items")
        return owner[key]

    def _attribute(self, node: ast.Attribute, scope: Scope) -> object:
        owner = self.value(node.value, scope)
        if isinstance(owner, ImportedName):
            return ImportedName(owner.path, node.attr)
        if isinstance(owner, dict) and node.attr in owner:
            return owner[node.attr]
        raise NotDataError(f"the attribute {node.attr} of {kind_of(owner)} isn't supported")

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, scope: Scope
    ) -> object:
        inner = Scope(outer=scope)
        items = [self.value(node.elt, inner) for _ in self._passes(node.generators, inner)]
        return {self.work.key(item) for item in items} if isinstance(node, ast.SetComp) else items

    def _mapping(self, node: ast.DictComp, scope: Scope) -> object:
        inner = Scope(outer=scope)
        return {
            self.work.key(self.value(node.key, inner)): self.value(node.value, inner)
            for _ in self._passes(node.generators, inner)
        }

    def _passes(
        self, loops: list[ast.comprehension], scope: Scope, *, is_first: bool = True
    ) -> Iterator[None]:
        if not loops:
            yield
            return
        loop, *inner = loops
        around = scope.outer if is_first and scope.outer else scope  # as in Python
        for item in self.work.items(self.data(loop.iter, around)):
            self.assign(loop.target, item, scope)
            if all(self.value(test, scope) for test in loop.ifs):
                yield from self._passes(inner, scope, is_first=False)

    def assign(self, target: ast.expr, value: Any, scope: Scope) -> None:
        """Give a value to a name, an item or several of these.

        Raises:
            NotDataError: it can't be.
        """
        match target:
            case ast.Name():
                scope.names[target.id] = value
            case ast.Tuple() | ast.List():
                values = list(self.work.items(value))
                if len(values) != len(target.elts):
                    raise NotDataError("the number of names and values differs", target.lineno)
                for each, item in zip(target.elts, values, strict=True):
                    self.assign(each, item, scope)
            case ast.Subscript():
                owner = self.value(target.value, scope)
                if not isinstance(owner, list | dict) or isinstance(target.slice, ast.Slice):
                    raise NotDataError(f"items of {kind_of(owner)} can't be set", target.lineno)
                owner[self.work.key(self.value(target.slice, scope))] = value
            case _:
                what = type(target).__name__
                raise NotDataError(f"{what} can't be assigned", target.lineno)

    def _call(self, node: ast.Call, scope: Scope) -> object:
        if isinstance(node.func, ast.Attribute):
            owner = self.value(node.func.value, scope)
            if not isinstance(owner, ImportedName):
                return self._method(owner, node, scope)
        called = self.value(node.func, scope)
        args, keywords = self._arguments(node, scope)
        if isinstance(called, OwnFunction):
            return self._run(called, args, keywords)
        if not isinstance(called, ImportedName):
            raise NotDataError(f"{kind_of(called)} can't be called")
        match called.path:
            case "builtins.globals":
                return scope.module.names
            case "builtins.locals":
                return dict(scope.names)
            case "builtins.open":
                return OpenedText(self.surroundings.read(args[0]))
            case "builtins.eval" if str(args[0]).isidentifier():
                return scope.find(str(args[0]))
        function = FUNCTIONS.get(called.path)
        if function is None:
            raise NotDataError(f"the call of {called.path} would run code")
        return function(self.work, args, keywords)

    def _method(self, owner: Any, node: ast.Call, scope: Scope) -> object:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        args, keywords = self._arguments(node, scope)
        if isinstance(owner, OpenedText) and name in ("read", "readlines"):
            self.work.text(len(owner.text))
            return owner.text if name == "read" else owner.text.splitlines(keepends=True)
        if isinstance(owner, dict) and name == "deepcopy":
            return self.work.copied(owner)
        method = METHODS.get(type(owner), {}).get(name)
        if method is None:
            raise NotDataError(f"{name} of {kind_of(owner)} isn't supported")
        return method(self.work, owner, args, keywords)

    def _arguments(self, node: ast.Call, scope: Scope) -> tuple[list[object], dict[str, object]]:
        args = list(self._spread(node.args, scope))
        keywords: dict[str, object] = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                keywords.update({str(k): v for k, v in self._object(keyword.value, scope).items()})
            else:
                keywords[keyword.arg] = self.value(keyword.value, scope)
        return args, keywords

    def _run(self, called: OwnFunction, args: list[object], keywords: dict[str, object]) -> object:
        names = [argument.arg for argument in called.arguments.args]
        firsts = names[len(names) - len(called.defaults) :]
        values = dict(zip(firsts, called.defaults, strict=True))
        values |= dict(zip(names, args, strict=False)) | keywords
        if set(values) != set(names) or len(args) > len(names):
            raise NotDataError(f"{called.name} has other arguments")
        return self.surroundings.run_body(called.body, Scope(values, called.scope))


_BY_KIND: Mapping[type, Callable[[Expressions, Any, Scope], object]] = {
    ast.Constant: Expressions._constant,
    ast.Name: Expressions._name,
    ast.List: Expressions._list,
    ast.Tuple: Expressions._list,
    ast.Set: Expressions._set,
    ast.Dict: Expressions._dict,
    ast.JoinedStr: Expressions._f_string,
    ast.FormattedValue: Expressions._field,
    ast.BinOp: Expressions._operation,
    ast.UnaryOp: Expressions._signed,
    ast.BoolOp: Expressions._both,
    ast.Compare: Expressions._comparison,
    ast.IfExp: Expressions._choice,
    ast.Subscript: Expressions._item,
    ast.Attribute: Expressions._attribute,
    ast.ListComp: Expressions._comprehension,
    ast.SetComp: Expressions._comprehension,
    ast.GeneratorExp: Expressions._comprehension,
    ast.DictComp: Expressions._mapping,
    ast.Call: Expressions._call,
}
