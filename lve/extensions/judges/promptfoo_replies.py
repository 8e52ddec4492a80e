"""Reads what a judge replies as promptfoo reads it, and shows it an answer as promptfoo does."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal

from lve.checkers.builtin_checker import judged
from lve.checkers.contract import Verdict
from lve.documents.position_types import TextError
from lve.documents.yaml_text import parse_yaml
from lve.errors import CheckerError
from lve.escape import quoted

CHOICES: Mapping[str, float] = {"A": 1, "B": 1, "C": 1, "D": 0, "E": 1}
"""Letter that a judge of facts chooses -> its score."""
MAX_REPLY = 100_000
"""The most characters of a reply, as promptfoo's objects may have."""
MAX_TRIED = 2 * MAX_REPLY
"""The most characters of the texts that are tried as objects, together."""
SPACE = " \t\n\v\f\r\xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)
"""What JavaScript takes for white space."""
_LETTER = re.compile(r"\(?([a-eA-E])\)")
_NUMERAL = re.compile(r"[+-]?(?:Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")
_DIGITS = re.compile(r"0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+")
_YES = re.compile(r"(?:true|yes|pass|y)", re.IGNORECASE | re.ASCII)


def graded(reply: str, *, threshold: float | None, inverse: bool) -> Verdict:
    """Return the verdict of a reply with a JSON object that has `pass` or `score`.

    Args:
        reply: the reply.
        threshold: the lowest score that passes, beside `pass`.
        inverse: whether the verdict is the opposite; a reply without an object fails all the same.

    Raises:
        CheckerError: promptfoo may read the object differently.
    """
    value = next(_objects(reply), None)
    if value is None:
        return judged(False, f"the judge gave no JSON object: {quoted(reply)}", 0.0)
    passes = _passes(value.get("pass"))
    score = _score(value["score"]) if "score" in value else math.nan
    score = score if math.isfinite(score) else float(passes)
    if threshold is not None:
        passes = passes and score >= threshold
    if inverse:
        score = max(0.0, min(1.0, 1 - score))
    return judged(passes is not inverse, f"the judge said {quoted(reply)}", score)


def chosen(reply: str, scores: Mapping[str, float]) -> Verdict:
    """Return the verdict of a reply with a letter from A to E.

    Args:
        reply: the reply: a JSON object with `category`, or a text with `(A)`.
        scores: letter -> score; above 0 it passes.

    Raises:
        CheckerError: promptfoo may read the object differently.
    """
    letter = ""
    value = next(_objects(reply), None)
    category = value.get("category") if value else None
    if isinstance(category, str) and category:
        letter = category.strip(SPACE).upper()
    elif match := _LETTER.search(reply):
        letter = match[1].upper()
    if letter not in scores:
        return judged(False, f"the judge chose no letter: {quoted(reply)}", 0.0)
    return judged(scores[letter] > 0, f"the judge said {quoted(reply)}", scores[letter])


def yes(reply: str) -> Verdict:
    """Return the verdict of a reply that ends with Y or N."""
    passes = reply.rstrip(SPACE).endswith("Y")
    return judged(passes, f"the judge said {quoted(reply)}", float(passes))


def _objects(reply: str) -> Iterator[dict[str, object]]:
    """Yield the objects in a reply, in JSON or YAML: what stands from a brace to the one that
    closes it; where none does, to the end, with the braces that are missing.

    Raises:
        CheckerError: the reply is too long, or promptfoo may read it differently.
    """
    if len(reply) > MAX_REPLY:
        raise CheckerError(f"the judge wrote more than {MAX_REPLY:,} characters", code="judge")
    ends, missing = _braces(reply)
    at = tried = 0
    while tried <= MAX_TRIED:
        at = reply.find("{", at)
        if not 0 <= at < len(reply) - 1:  # a last brace begins nothing
            return
        end = ends.get(at, len(reply))
        tried += end - at
        value = _object(reply[at:end] + "}" * missing.get(at, 0))
        if isinstance(value, dict):
            yield value
        at = at + 1 if value is None else end
    raise CheckerError("the judge wrote too many braces", code="judge")


def _braces(reply: str) -> tuple[dict[int, int], dict[int, int]]:
    """Return where each object ends, and how many closing braces those lack that don't end."""
    is_open: list[int] = []
    ends: dict[int, int] = {}
    for match in re.finditer(r"[{}]", reply):
        if match[0] == "{":
            is_open.append(match.start())
        elif is_open:
            ends[is_open.pop()] = match.end()
    return ends, {start: len(is_open) - n for n, start in enumerate(is_open)}


def _object(text: str) -> object:
    """Return the value of a text in braces; None if it has none.

    Raises:
        CheckerError: promptfoo may read it differently.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    if "//" in text:  # which promptfoo may take for a comment
        raise CheckerError("the judge's object isn't JSON, and has //", code="judge")
    try:
        return parse_yaml(text)
    except TextError:
        return None


def _passes(value: object) -> bool:
    match value:
        case None:
            return True
        case bool():
            return value
        case str():
            return _YES.fullmatch(value) is not None
        case list():
            raise CheckerError("the judge's `pass` is a list", code="judge")
    return False


def _score(value: object) -> float:
    """Return a value as a number of JavaScript."""
    match value:
        case int() | float():
            return float(value)
        case None:
            return 0.0
        case str():
            text = value.strip(SPACE)
            if _DIGITS.fullmatch(text):
                return float(int(text, 0))
            return float(text or 0) if _NUMERAL.fullmatch(text or "0") else math.nan
        case list():
            raise CheckerError("the judge's `score` is a list", code="judge")
    return math.nan


def nunjucks_text(answer: str) -> str:
    """Return an answer as promptfoo's templates show it: one in JSON as its value."""
    try:
        value = json.loads(answer, parse_constant=_no_json, parse_int=float)
    except (ValueError, RecursionError):
        return answer
    if isinstance(value, list):
        return ",".join(map(_shown, value))
    return _shown(value)


def _no_json(name: str) -> float:
    raise ValueError(f"{name} isn't JSON")


def _shown(value: object) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else _stringified(value)


def _stringified(value: object) -> str:
    """Return a value as JSON as JavaScript writes it."""
    if isinstance(value, float):
        return _numeral(value)
    if isinstance(value, list):
        return f"[{','.join(map(_stringified, value))}]"
    if isinstance(value, dict):
        indices = sorted((key for key in value if _is_index(key)), key=int)
        keys = dict.fromkeys([*indices, *value])
        pairs = (f"{_stringified(key)}:{_stringified(value[key])}" for key in keys)
        return f"{{{','.join(pairs)}}}"
    return json.dumps(value, ensure_ascii=False)


def _is_index(key: str) -> bool:
    """Return whether a key is a whole number, which JavaScript's objects have first."""
    is_numeral = key.isascii() and key.isdecimal() and len(key) <= len(str(2**32))
    return is_numeral and str(int(key)) == key and int(key) < 2**32 - 1


def _numeral(number: float) -> str:
    """Return a number as JavaScript writes it."""
    if not math.isfinite(number):
        return "null"  # of a numeral with a large exponent
    decimal = Decimal(repr(number)).normalize()
    exponent = decimal.adjusted()
    if not decimal or -7 < exponent < 21:
        return f"{decimal:f}".removeprefix("-" if not decimal else "")
    return f"{decimal.scaleb(-exponent)}e{exponent:+d}"
