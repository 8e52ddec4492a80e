"""Translates short assertions in JavaScript to lambdas of the check `expression`.

A script is one expression about the answer, perhaps after constants. What isn't certain to mean the
same is refused. Where a script throws, its assertion has failed: the lambda can't be computed then
(`on_error: failed`).
"""

from __future__ import annotations

from lve.data_classes import dataclass, field
from lve.escape import excerpt
from lve.extensions.importing.promptfoo.scripts.calls import FUNCTIONS, called, pattern_of
from lve.extensions.importing.promptfoo.scripts.values import (
    CONSTANTS,
    Kind,
    Value,
    computed,
    indexed,
    joined,
    member,
    negated,
    to_any,
    to_truth,
)
from lve.extensions.importing.promptfoo.scripts.words import (
    NAME,
    NUMBER,
    OPERATOR,
    REGEX,
    SKIPPED,
    SPACE,
    TEXT,
    unescaped,
)
from lve.extensions.importing.promptfoo.source import UnsupportedError

MAX_SCRIPT = 2_000
"""Maximum length of a script, in characters."""
MAX_LAMBDA = 5_000
"""Maximum length of what is made of it: constants are written where they are used."""
MAX_DEPTH = 50
"""Maximum nesting."""
ANSWER = "output"
_LEVELS = (("||",), ("&&",), ("===", "!==", "==", "!="), ("<", ">", "<=", ">="), ("+", "-"))
_FACTORS = ("*", "/")


def to_lambda(script: str, *, is_object: bool, threshold: float | None) -> tuple[str, list[str]]:
    """Return a script as a lambda, and the variables that it uses.

    Args:
        script: an expression, or constants and a `return`. Its result is a truth, a number, or an
            object with `pass`.
        is_object: whether the answer is JSON that has been read; otherwise it is a text.
        threshold: a number passes from here; None: above 0.

    Raises:
        UnsupportedError: it isn't certain to be the same as a lambda.
    """
    if len(script) > MAX_SCRIPT:
        raise UnsupportedError(f"left out: its script has more than {MAX_SCRIPT:,} characters")
    answer = Value(f"json.loads({ANSWER})", "any") if is_object else Value(ANSWER, "text")
    reader = _Reader(script, {ANSWER: answer})
    result = reader.whole()
    if result.kind == "number":
        above = "> 0" if threshold is None else f">= {threshold!r}"
        result = Value(f"({result.python}) {above}", "truth")
    if result.kind not in ("truth", "truthy"):
        raise UnsupportedError("left out: its script gives neither a truth nor a number")
    if len(result.python) > MAX_LAMBDA:
        raise UnsupportedError("left out: its script is too long")
    parameters = ", ".join((ANSWER, *reader.variables))
    return f"lambda {parameters}: {result.python}", list(reader.variables)


@dataclass(slots=True)
class _Reader:
    script: str
    names: dict[str, Value]
    at: int = 0
    depth: int = 0
    items: int = 0
    variables: dict[str, None] = field(default_factory=dict)

    def whole(self) -> Value:
        """Return the result of the script, which must end there."""
        while self._word("const") or self._word("let"):
            name = self._name()
            self._need("=")
            self.names[name] = self._expression()
            self._need(";")
        has_return = self._word("return")
        result = self._object() if has_return and self._next() == "{" else self._expression()
        self._take(";")
        if self.at < len(self.script.rstrip()):
            raise self._refused()
        return result

    def _object(self) -> Value:
        """Return the value of `pass` in an object; score and reason don't decide."""
        passes = None
        self._need("{")
        while not self._take("}"):
            key = self._name()
            if key == "pass":
                passes = to_truth(self._expression() if self._take(":") else self._of_name(key))
            elif self._take(":"):
                self._skip()
            if self._next() != "}":
                self._need(",")
        if passes is None:
            raise UnsupportedError("left out: its script gives an object without pass")
        return passes

    def _skip(self) -> None:
        """Go to the end of an object's value."""
        depth = 0
        while depth or self._next() not in (",", "}"):
            sign = self._next()
            depth += (sign in ("(", "[", "{")) - (sign in (")", "]", "}"))
            match = next(filter(None, (p.match(self.script, self.at) for p in SKIPPED)), None)
            if match is None and sign is None:
                raise self._refused()
            self.at = match.end() if match else self.at + len(sign or "")

    def _expression(self) -> Value:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise UnsupportedError("left out: its script is nested too deeply")
        condition = self._level(0)
        if self._take("?"):
            yes = self._expression()
            self._need(":")
            no = self._expression()
            if yes.kind != no.kind:
                raise UnsupportedError("left out: its script gives values of several kinds")
            python = f"({yes.python} if {to_truth(condition).python} else {no.python})"
            condition = Value(python, yes.kind)
        self.depth -= 1
        return condition

    def _level(self, level: int) -> Value:
        """Return the value of operands between operators of a level or of those that bind more."""
        if level == len(_LEVELS):
            return self._factors()
        value = self._level(level + 1)
        while (sign := self._next()) in _LEVELS[level]:
            assert sign is not None
            self._need(sign)
            value = joined(sign, value, self._level(level + 1))
        return value

    def _factors(self) -> Value:
        value = self._unary()
        while (sign := self._next()) in _FACTORS:
            assert sign is not None
            self._need(sign)
            value = computed(sign, value, self._unary())
        return value

    def _unary(self) -> Value:
        if self._take("!"):
            return negated(self._unary())
        if self._take("-"):
            return computed("-", Value("0", "number"), self._unary())
        if self._word("typeof"):
            return Value(to_any(self._unary()).python, "type")
        return self._postfix(self._operand())

    def _postfix(self, value: Value) -> Value:
        while True:
            if self._take("."):
                name = self._name()
                value = self._call(value, name) if self._next() == "(" else member(value, name)
            elif self._take("["):
                value = indexed(value, self._expression())
                self._need("]")
            else:
                return value

    def _call(self, value: Value, name: str) -> Value:
        self._need("(")
        arguments: list[Value] = []
        while not self._take(")"):
            arguments.append(self._argument("text" if value.kind == "texts" else "any"))
            if self._next() != ")":
                self._need(",")
        return called(value, name, arguments)

    def _argument(self, items: Kind) -> Value:
        """Return an argument, which may be a function of an item."""
        start = self.at
        parameter = self._parameter()
        if parameter is None:
            self.at = start
            return self._expression()
        self.items += 1
        outer, item = self.names, f"item{self.items}"
        self.names = {**outer, parameter: Value(item, items)}
        body = self._expression()
        self.names = outer
        return body._replace(item=item)

    def _parameter(self) -> str | None:
        """Return the parameter of a function that begins here, behind `=>`; None: none does."""
        is_wrapped = self._take("(")
        match = NAME.match(self.script, self._start())
        if match is None:
            return None
        self.at = match.end()
        if (is_wrapped and not self._take(")")) or not self._take("=>"):
            return None
        return match[0]

    def _operand(self) -> Value:
        at = self._start()
        if self._take("("):
            value = self._expression()
            self._need(")")
            return value._replace(python=f"({value.python})")
        if match := NUMBER.match(self.script, at):
            self.at = match.end()
            return Value(repr(float(match[0])), "number")
        if match := TEXT.match(self.script, at):
            self.at = match.end()
            return Value(repr(unescaped(match[match.lastindex or 1] or "")), "text")
        if match := REGEX.match(self.script, at):
            self.at = match.end()
            return Value(pattern_of(match[1], match[2]), "pattern")
        return self._of_name(self._name())

    def _of_name(self, name: str) -> Value:
        if name in self.names:
            return self.names[name]
        if name in CONSTANTS:
            return CONSTANTS[name]
        if name == "context" and self._take("."):
            return self._variable()
        if self._take("."):
            name = f"{name}.{self._name()}"
        if name in FUNCTIONS:
            return self._call(Value("", "global"), name)
        raise UnsupportedError(f"left out: its script uses {excerpt(name)}")

    def _variable(self) -> Value:
        """Return a variable of the row: `vars.NAME`, behind `context.`."""
        if self._name() != "vars":
            raise self._refused()
        if self._take("."):
            name = self._name()
        else:
            self._need("[")
            match = TEXT.match(self.script, self._start())
            if match is None:
                raise self._refused()
            self.at, name = match.end(), match[1] or match[2] or ""
            self._need("]")
        if not name.isidentifier() or name in (ANSWER, "context") or name.startswith("item"):
            raise UnsupportedError(f"left out: its script uses the variable {excerpt(name)}")
        self.variables[name] = None
        return Value(name, "text")

    def _start(self) -> int:
        match = SPACE.match(self.script, self.at)
        assert match is not None
        self.at = match.end()
        return self.at

    def _next(self) -> str | None:
        match = OPERATOR.match(self.script, self._start())
        return match[0] if match else None

    def _take(self, sign: str) -> bool:
        if self._next() != sign:
            return False
        self.at += len(sign)
        return True

    def _need(self, sign: str) -> None:
        if not self._take(sign):
            raise self._refused()

    def _word(self, word: str) -> bool:
        match = NAME.match(self.script, self._start())
        if match is None or match[0] != word:
            return False
        self.at = match.end()
        return True

    def _name(self) -> str:
        match = NAME.match(self.script, self._start())
        if match is None:
            raise self._refused()
        self.at = match.end()
        return match[0]

    def _refused(self) -> UnsupportedError:
        rest = excerpt(self.script[self.at :].strip() or "its end")
        return UnsupportedError(f"left out: its script isn't a simple expression, at {rest}")
