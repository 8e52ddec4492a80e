"""Runs the statements of configurations as data: assignments, loops, conditions, functions of their
own, and what other configurations of the same package say."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

from lve.extensions.importing.opencompass.expressions import Expressions
from lve.extensions.importing.opencompass.package import Package
from lve.extensions.importing.opencompass.reading_cost import (
    ImportedName,
    NotDataError,
    Work,
    kind_of,
)
from lve.extensions.importing.opencompass.scope import OpenedText, OwnFunction, Scope

MAX_LOADED = 200
"""How many configurations one may take in, directly or not."""


class _ReturnedError(Exception):
    """Ends the body of a function."""

    def __init__(self, value: object) -> None:
        self.value = value


class _ContinuedError(Exception):
    """Ends a pass of a loop."""


class _BrokenError(Exception):
    """Ends a loop."""


class Configuration:
    """One configuration file, and what it takes in."""

    def __init__(self, package: Package, path: Path) -> None:
        self.package = package
        self.path = path
        self.work = Work()
        self.expressions = Expressions(self.work, self)
        self._loading: list[Path] = []
        self._loaded = 0

    def names(self) -> dict[str, object]:
        """Return the values of the file's names.

        Raises:
            NotDataError: it can't be read as data.
        """
        try:
            return self._load(self.path)
        except NotDataError as error:
            error.file = error.file or str(self.path)
            raise
        except RecursionError:
            raise NotDataError("it is nested too deeply") from None
        except (_ReturnedError, _ContinuedError, _BrokenError):
            raise NotDataError("return, break or continue outside of a function or loop") from None

    def _load(self, path: Path) -> dict[str, object]:
        self._loaded += 1
        if path in self._loading or self._loaded > MAX_LOADED:
            raise NotDataError(f"it takes in {path.name} without an end")
        self._loading.append(path)
        scope = Scope({"__file__": str(path), "__name__": path.stem})
        try:
            self._run(self.package.tree(path).body, scope)
        except NotDataError as error:
            error.file = error.file or str(path)
            raise
        finally:
            self._loading.pop()
        return scope.names

    def read(self, path: object) -> str:
        """Return the text of a file that the configuration opens."""
        return self.package.text(Path(str(path)))

    def data_of(self, name: ImportedName) -> object:
        """Return the data that a name of the package's own code has there: a list, a dict, a text.

        Raises:
            NotDataError: it has none.
        """
        path = self.package.path_of(name.module)
        if path is None:
            raise NotDataError(f"{name.path} is code")
        value: object = None
        scope = Scope({"__file__": str(path)})
        for statement in self.package.tree(path).body:
            if isinstance(statement, ast.Assign) and any(
                isinstance(target, ast.Name) and target.id == name.name
                for target in statement.targets
            ):
                value = self.expressions.value(statement.value, scope)
        if value is None:
            raise NotDataError(f"{name.path} is code")
        return value

    def run_body(self, body: tuple[ast.stmt, ...], scope: Scope) -> object:
        """Run a function's body, and return what it returns."""
        self.work.enter()
        try:
            self._run(body, scope)
        except _ReturnedError as ended:
            return ended.value
        finally:
            self.work.leave()
        return None

    def _run(self, body: Iterable[ast.stmt], scope: Scope) -> None:
        for statement in body:
            self.work.step()
            try:
                self._statement(statement, scope)
            except NotDataError as error:
                error.line = error.line or statement.lineno
                raise

    def _statement(self, node: ast.stmt, scope: Scope) -> None:
        compute = self.expressions
        match node:
            case ast.Assign():
                value = compute.value(node.value, scope)
                for target in node.targets:
                    compute.assign(target, value, scope)
            case ast.AnnAssign():
                if node.value is not None:
                    compute.assign(node.target, compute.value(node.value, scope), scope)
            case ast.AugAssign():
                self._add(node, scope)
            case ast.Expr():
                if not isinstance(node.value, ast.Constant):
                    compute.value(node.value, scope)
            case ast.For():
                self._loop(node, scope)
            case ast.If():
                self._run(node.body if compute.value(node.test, scope) else node.orelse, scope)
            case ast.With():
                self._with(node, scope)
            case ast.Import() | ast.ImportFrom():
                self._import(node, scope)
            case ast.FunctionDef():
                self._define(node, scope)
            case ast.Delete():
                self._delete(node, scope)
            case ast.Return():
                raise _ReturnedError(compute.value(node.value, scope) if node.value else None)
            case ast.Continue():
                raise _ContinuedError
            case ast.Break():
                raise _BrokenError
            case ast.Pass():
                pass
            case ast.Assert():
                if not compute.value(node.test, scope):
                    raise NotDataError("its assertion doesn't hold")
            case ast.Raise():
                raise NotDataError("it raises an error")
            case _:
                raise NotDataError(f"{type(node).__name__} isn't supported")

    def _add(self, node: ast.AugAssign, scope: Scope) -> None:
        compute = self.expressions
        left = ast.copy_location(_loaded(node.target), node.target)
        old, value = compute.value(left, scope), compute.data(node.value, scope)
        if isinstance(old, list) and isinstance(node.op, ast.Add):
            old.extend(list(self.work.items(value)))
            return
        compute.assign(node.target, compute.operations.combined(node.op, old, value), scope)

    def _loop(self, node: ast.For, scope: Scope) -> None:
        for item in self.work.items(self.expressions.data(node.iter, scope)):
            self.expressions.assign(node.target, item, scope)
            try:
                self._run(node.body, scope)
            except _ContinuedError:
                continue
            except _BrokenError:
                return
        self._run(node.orelse, scope)

    def _with(self, node: ast.With, scope: Scope) -> None:
        for item in node.items:
            context = item.context_expr
            is_base = isinstance(context, ast.Call) and _last_name(context.func) == "read_base"
            if is_base:
                continue
            opened = self.expressions.value(context, scope)
            if not isinstance(opened, OpenedText):
                raise NotDataError(f"`with` of {kind_of(opened)} isn't supported")
            if item.optional_vars is not None:
                self.expressions.assign(item.optional_vars, opened, scope)
        self._run(node.body, scope)

    def _define(self, node: ast.FunctionDef, scope: Scope) -> None:
        arguments = node.args
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs:
            raise NotDataError(f"the arguments of {node.name} aren't supported")
        defaults = tuple(self.expressions.value(value, scope) for value in arguments.defaults)
        scope.names[node.name] = OwnFunction(
            node.name, arguments, tuple(node.body), scope, defaults
        )

    def _delete(self, node: ast.Delete, scope: Scope) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                scope.find(target.id)
                scope.names.pop(target.id, None)
            elif isinstance(target, ast.Subscript):
                owner = self.expressions.value(target.value, scope)
                key = self.expressions.value(target.slice, scope)
                if not isinstance(owner, list | dict):
                    raise NotDataError(f"items of {kind_of(owner)} can't be deleted")
                del owner[self.work.key(key)]
            else:
                raise NotDataError("it can't be deleted")

    def _import(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                scope.names[alias.asname or first] = ImportedName(
                    "", alias.name if alias.asname else first
                )
            return
        module = node.module or ""
        path = self._config_path(node, scope)
        if path is None:
            for alias in node.names:
                if alias.name == "*":
                    raise NotDataError(f"* of {module} is code")
                scope.names[alias.asname or alias.name] = ImportedName(module, alias.name)
            return
        names = self._load(path)
        for alias in node.names:
            if alias.name == "*":
                scope.names |= {k: v for k, v in names.items() if not k.startswith("_")}
            elif alias.name not in names:
                raise NotDataError(f"{path.name} has no {alias.name}")
            else:
                scope.names[alias.asname or alias.name] = names[alias.name]

    def _config_path(self, node: ast.ImportFrom, scope: Scope) -> Path | None:
        """Return the configuration that an import names; None if it names code.

        Raises:
            NotDataError: it isn't there.
        """
        module = node.module or ""
        if not node.level:
            return self.package.path_of(module) if ".configs." in module else None
        folder = Path(str(scope.module.names["__file__"])).parent
        for _ in range(node.level - 1):
            folder = folder.parent
        path = folder.joinpath(*module.split("."))
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if not path.is_relative_to(self.package.folder):
            raise NotDataError(f"{module} is outside of {self.package.folder.name}")
        return path


def _loaded(target: ast.expr) -> ast.expr:
    """Return the expression of an assignment's target."""
    match target:
        case ast.Name():
            return ast.Name(target.id, ast.Load(), lineno=target.lineno, col_offset=0)
        case ast.Subscript():
            return ast.Subscript(
                target.value, target.slice, ast.Load(), lineno=target.lineno, col_offset=0
            )
    raise NotDataError(f"{type(target).__name__} can't be assigned")


def _last_name(node: ast.expr) -> str:
    return str(getattr(node, "attr", None) or getattr(node, "id", ""))
