"""Compares terms (sums, products, powers, roots, functions) by their values at a few points."""

from __future__ import annotations

import cmath
import math
import re
from collections.abc import Callable, Mapping

MAX_DEPTH = 40
"""The deepest nesting of brackets."""
_MAX_CHOSEN = 1000
"""The largest lower number of a binomial coefficient."""
_POINTS = (0.7316, 1.3891, 2.2347)
"""Values of the variables at which terms are compared."""
_FUNCTIONS: Mapping[str, Callable[[complex], complex]] = {
    "sqrt": cmath.sqrt, "sin": cmath.sin, "cos": cmath.cos, "tan": cmath.tan, "ln": cmath.log,
    "log": cmath.log10, "exp": cmath.exp, "arcsin": cmath.asin, "arccos": cmath.acos,
    "arctan": cmath.atan, "abs": lambda z: complex(abs(z)), "sec": lambda z: 1 / cmath.cos(z),
    "csc": lambda z: 1 / cmath.sin(z), "cot": lambda z: 1 / cmath.tan(z),
    "sinh": cmath.sinh, "cosh": cmath.cosh, "tanh": cmath.tanh, "lg": cmath.log10,
    "floor": lambda z: complex(math.floor(z.real + 1e-12)),
    "ceil": lambda z: complex(math.ceil(z.real - 1e-12)),
}  # fmt: skip
_CONSTANTS = {"pi": complex(math.pi), "e": complex(math.e), "i": 1j}
_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d*)?|\.\d+)|\\?(?P<name>frac|binom|sqrt|pi|alpha|beta|theta|"
    rf"{'|'.join(sorted(_FUNCTIONS, key=len, reverse=True))})|(?P<letter>[a-zA-Z])"
    r"|(?P<sign>[-+*/^()\[\]{}|!_%]))"
)
_OPEN = {"(": ")", "[": "]", "{": "}"}


class NotMathError(ValueError):
    """A text is no term that can be computed."""


def same_term(a: str, b: str) -> bool:
    """Return whether two terms have the same values; false if one of the texts is no term."""
    try:
        first, second = _Parser(a).expression(), _Parser(b).expression()
        for point in _POINTS:
            x, y = first(point), second(point)
            if not cmath.isclose(x, y, rel_tol=1e-9, abs_tol=1e-12):
                return False
    except (NotMathError, ArithmeticError, ValueError, RecursionError):
        return False
    return True


def same_equation(a: str, b: str) -> bool:
    """Return whether two terms are zero together: whether one is the other times a constant."""
    try:
        first, second = _Parser(a).expression(), _Parser(b).expression()
        ratios = [first(point) / second(point) for point in _POINTS]
    except (NotMathError, ArithmeticError, ValueError, RecursionError):
        return False
    return ratios[0] != 0 and all(cmath.isclose(r, ratios[0], rel_tol=1e-9) for r in ratios)


Term = Callable[[float], complex]
"""Value of the variables -> value of the term. Each variable adds its own offset."""


class _Parser:
    """A recursive-descent parser. Each method reads operators that bind closer than those of the
    method before."""

    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str]] = []
        place, text = 0, text.strip()
        while place < len(text):
            match = _TOKEN.match(text, place)
            if match is None or match.end() == place or match.lastgroup is None:
                raise NotMathError(text)
            self.tokens.append((match.lastgroup, match[match.lastgroup]))
            place = match.end()
        self.place = 0
        self.depth = 0

    def expression(self) -> Term:
        """Return the whole text as a term.

        Raises:
            NotMathError: the text is no term.
        """
        term = self.sum()
        if self.place < len(self.tokens):
            raise NotMathError("something is left")
        return term

    def peek(self) -> str:
        return self.tokens[self.place][1] if self.place < len(self.tokens) else ""

    def kind(self) -> str:
        return self.tokens[self.place][0] if self.place < len(self.tokens) else ""

    def take(self, sign: str) -> bool:
        if self.peek() == sign and self.kind() == "sign":
            self.place += 1
            return True
        return False

    def sum(self) -> Term:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise NotMathError("nested too deeply")
        total = self.product()
        while self.peek() in ("+", "-"):
            sign = -1 if self.peek() == "-" else 1
            self.place += 1
            total = _added(total, self.product(), sign)
        self.depth -= 1
        return total

    def product(self) -> Term:
        result = self.signed()
        while True:
            if self.take("*"):
                result = _multiplied(result, self.signed())
            elif self.take("/"):
                result = _divided(result, self.signed())
            elif self.kind() in ("number", "name", "letter") or self.peek() in ("(", "{", "["):
                result = _multiplied(result, self.power())  # 2x
            else:
                return result

    def signed(self) -> Term:
        if self.take("-"):
            return _multiplied(lambda _: complex(-1), self.signed())
        if self.take("+"):
            return self.signed()
        return self.power()

    def power(self) -> Term:
        base = self.atom()
        while self.peek() in ("!", "%"):
            base = _factorial(base) if self.take("!") else base
            base = _divided(base, lambda _: complex(100)) if self.take("%") else base
        if self.take("^"):
            exponent = self.signed()
            return _raised(base, exponent)
        return base

    def atom(self) -> Term:
        kind, text = self.kind(), self.peek()
        if text in _OPEN and kind == "sign":
            self.place += 1
            inner = self.sum()
            if not self.take(_OPEN[text]):
                raise NotMathError("a bracket is open")
            return inner
        if self.take("|"):
            inner = self.sum()
            if not self.take("|"):
                raise NotMathError("a bar is open")
            return _applied("abs", inner)
        self.place += 1
        if kind == "number":
            value = complex(float(text))
            return lambda _: value
        if kind == "letter":
            return self.variable(text)
        if kind == "name":
            return self.named(text)
        raise NotMathError(text)

    def variable(self, letter: str) -> Term:
        name = letter
        if self.take("_"):
            name += self.peek()
            self.atom()
        if name in _CONSTANTS:
            constant = _CONSTANTS[name]
            return lambda _: constant
        shift = 0.31 * (sum(map(ord, name)) % 53)
        return lambda point: complex(point + shift)

    def named(self, name: str) -> Term:
        if name in ("alpha", "beta", "theta"):
            return self.variable({"alpha": "α", "beta": "β", "theta": "θ"}[name])
        if name == "pi":
            return lambda _: _CONSTANTS["pi"]
        if name == "frac":
            return _divided(self.argument(), self.argument())
        if name == "binom":
            return _chosen(self.argument(), self.argument())
        if name == "sqrt" and self.take("["):
            root = self.sum()
            if not self.take("]"):
                raise NotMathError("a bracket is open")
            return _raised(self.argument(), _divided(lambda _: complex(1), root))
        base = self.argument() if name in ("log", "lg") and self.take("_") else None
        exponent = self.atom() if self.take("^") else None
        inner = _applied(
            "ln" if base else name, self.argument() if self.peek() in ("{", "(") else self.power()
        )
        inner = _divided(inner, _applied("ln", base)) if base else inner
        return _raised(inner, exponent) if exponent else inner

    def argument(self) -> Term:
        """Read a LaTeX argument: a group, or a single digit as in `\\frac12`."""
        kind, text = self.kind(), self.peek()
        if kind == "number" and len(text) > 1 and text.isdigit():
            self.tokens[self.place] = ("number", text[1:])
            value = complex(int(text[0]))
            return lambda _: value
        return self.atom()


def _added(left: Term, right: Term, sign: int) -> Term:
    return lambda point: left(point) + sign * right(point)


def _multiplied(left: Term, right: Term) -> Term:
    return lambda point: left(point) * right(point)


def _divided(dividend: Term, divisor: Term) -> Term:
    return lambda point: dividend(point) / divisor(point)


def _raised(base: Term, exponent: Term) -> Term:
    return lambda point: base(point) ** exponent(point)


def _applied(name: str, inner: Term) -> Term:
    function = _FUNCTIONS[name]
    return lambda point: function(inner(point))


def _factorial(inner: Term) -> Term:
    def value(point: float) -> complex:
        number = inner(point)
        if number.imag or number.real != int(number.real) or not 0 <= number.real <= 170:
            raise NotMathError("no factorial")
        return complex(math.factorial(int(number.real)))

    return value


def _chosen(total: Term, chosen: Term) -> Term:
    """Return a binomial coefficient."""

    def value(point: float) -> complex:
        n, k = total(point), chosen(point)
        if k.imag or k.real != int(k.real) or not 0 <= k.real <= _MAX_CHOSEN:
            raise NotMathError("no binomial coefficient")
        result = complex(1)
        for step in range(int(k.real)):
            result *= (n - step) / (step + 1)
        return result

    return value
