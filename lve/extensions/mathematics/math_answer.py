"""The check of the mathematical expression that an answer ends with."""

from __future__ import annotations

import re
from typing import ClassVar

from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import AnswerCheck, CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.extract.numerals.sentence_order import is_aside
from lve.checkers.extract.numerals.statement_reader import StatementReader
from lve.checkers.extract.quantities.quantity import quantities_in
from lve.checkers.shape.answer_parts import AFTER_CORRECTION, MAX_READ, nothing_stated, shaped
from lve.checkers.shape.characters import without_marks
from lve.checkers.shape.passages import Passage, announced, corrected_from, sentences
from lve.checkers.shape.patterns import pattern
from lve.data_classes import dataclass
from lve.escape import quoted
from lve.extensions.mathematics.notation import MAX_LENGTH, plain_math, same_math

_TERM_BEFORE = re.compile(r"(?:[-+*/^(<>≤≥,]|\\\w+|\b(?:and|or))\s*\Z")
_TERM_AFTER = re.compile(
    r"(?![.,:;!?*]*(?:\s+(?!(?:and|or|sin|cos|tan|log|exp|mod|plus|minus|times|over)\b)[A-Za-z][a-z]{2,}|\s*\Z|\s*\())"
)
"""What makes a number a part of an expression."""
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}")
_LATEX = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+)\$|\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)
_DISPLAY = re.compile(r"(?:\\\[|\$\$)\s*(.{1,1000}?)[.,;]?\s*(?:\\\]|\$\$)", re.DOTALL)
_ALIGNED = re.compile(
    r"(?:\\\[|\$\$)?\s*\\begin\{(?:align|gather|equation|split)(?:ed)?\*?\}(.{1,1000}?)[.,;]?\s*"
    r"\\end\{(?:align|gather|equation|split)(?:ed)?\*?\}\s*(?:\\\]|\$\$)?",
    re.DOTALL,
)
_LAYOUT = re.compile(r"&|\\\\(?![a-z])")
_IN_SET = re.compile(r"(?<=[\w)]);(?=[^{}\n]{1,80}\})")
"""Between the elements of a set, in countries with a decimal comma."""
_EQUALS = re.compile(r"((?<![<>!=])=(?!=)|≈|≡|\\approx|\\equiv|\\Rightarrow|⇒)")
_REASON = re.compile(pattern("math_reason"))
_GLOSS = re.compile(pattern("math_gloss"))
"""A remark in brackets at the end: "(that is, 30°)"."""
_RATHER = re.compile(pattern("but_rather"))
_ORDER = re.compile(pattern("math_order"))
"""What a sentence without a result asks for: "Compute 1/2 + 1/4."."""
_DENIED = re.compile(pattern("math_denied"))
_SYSTEM = re.compile(
    r"(?<![\w^)}])([a-z])\s*=[^=,;$]+\$?(?:,|;|,? and)[\s$]*([a-z])\s*=[^=,;$]+\$?\Z"
)
"""Values of two unknowns, none of which is the answer alone: "x = 2, y = 3"."""
_UNKNOWNS = ("xyz", "abc", "mn", "pq", "uv", "st", "hk")
_OR = re.compile(r",? \(?(?:or|i\.e\.,?|that is,?) ")
"""Between an expression and the same in another notation, or an alternative."""
_WORDS_BEFORE = re.compile(pattern("math_words_before"))
_WORDS_AFTER = re.compile(pattern("math_words_after"))
"""Words beside an expression in prose: "it's 42, I think so"."""
_MODULO = re.compile(r"\s*(?:\\pmod\s*\{[^{}]*\}|\(mod [^()]*\))")
_CLOSE = ("≈", "\\approx")
_MATH = re.compile(r"[\d$\\]")
_POWER = re.compile(r"(?<=\w)\*\*(?=[\w(])")
_IS = re.compile(pattern("math_is"))


@dataclass(frozen=True, slots=True)
class Math(AnswerCheck):
    """Passes if the boxed or final expression is mathematically equal to this one.

    LaTeX and plain notation are understood: `\\frac{1}{2}`, `0.5`, `1/2` and `50\\%` are equal. So
    are mixed numbers, matrices in any brackets, binomials, logarithms of any base, `1e-3`,
    repeating decimals, inequalities and their intervals, and an equation with its terms moved. The
    order of a set's elements doesn't matter; a unit after the expression is left out.
    """

    work_per_character: ClassVar[int] = 400
    reads: ClassVar[int] = MAX_READ
    own_templates: ClassVar[frozenset[str]] = frozenset({"math"})

    math: str | float
    """The expression. If it is only `{name}`, the row's value is used; all other braces are
    LaTeX."""

    examples: ClassVar = (
        CheckExample(
            {"math": "\\frac{1}{2}"},
            ("\\boxed{0.5}", "So $x = \\frac12$.", "The answer is 1/2."),
            ("\\boxed{2}", "x", ""),
        ),
        CheckExample({"math": "\\{1, 2\\}"}, ("\\boxed{\\{2, 1\\}}",), ("\\boxed{\\{1, 3\\}}",)),
        CheckExample({"math": "x^2 - 1"}, ("(x-1)(x+1)", "$x^2-1$"), ("(x-1)^2",)),
    )

    def __post_init__(self) -> None:
        if not plain_math(str(self.math)):
            raise ArgumentError("math", "'math' is empty: there is nothing to compare with")
        if len(str(self.math)) > MAX_LENGTH:
            raise ArgumentError("math", f"'math' has more than {MAX_LENGTH} characters")

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        reference = self._reference(context)
        candidates = list(dict.fromkeys(expressions(response)))
        place = _place(response) if candidates else ""
        if any(same_math(candidate, reference) for candidate in candidates):
            return judged(True, f"found {quoted(reference)}{place}")
        answered = quoted(candidates[0]) if candidates else nothing_stated(response, "expression")
        return judged(False, f"expected {quoted(reference)}, found {answered}{place}")

    def _reference(self, context: CheckContext) -> str:
        whole = _PLACEHOLDER.fullmatch(str(self.math).strip())
        value = {**context.args, **context.parameters}.get(whole[1]) if whole else None
        return str(self.math) if value is None else str(value)


def expressions(text: str) -> list[str]:
    """Return the expression that the answer `text` ends with; several if its extent is unclear."""
    shape = shaped(text)
    if shape.strong and shape.strong[0].kind == "boxed":
        boxes = shape.boxes
        return [boxes[-1], ", ".join(boxes), *(_sides(boxes[-1]))]
    if shape.strong:
        statements = [shape.strong[0].text]
    else:
        body = _ALIGNED.sub(_inline, shape.body)
        plain = without_marks(_POWER.sub("^", _DISPLAY.sub(_inline, body)))
        plain = _IN_SET.sub(",", plain)
        plain = plain[corrected_from(plain) :]
        passages = announced(plain)[:1] or _stating(plain)
        statements = [plain[passage.start : passage.end].strip() for passage in passages]
    pieces = [piece for statement in statements for piece in _pieces(statement.rstrip(" .。"))]
    pieces += [number for statement in statements for number in _spelled(statement)]
    return [piece for piece in pieces if len(piece) <= MAX_LENGTH]


def _inline(display: re.Match[str]) -> str:
    """Return a displayed formula in its line, without the point after it."""
    return f" ${' '.join(_LAYOUT.sub(' ', display[1]).split())}$"


def _stating(plain: str) -> list[Passage]:
    """Return the last sentence with a formula that says what is, not what could be."""
    passages = sentences(plain)
    texts = ((passage, plain[passage.start : passage.end]) for passage in reversed(passages))
    stating = (p for p, text in texts if _MATH.search(text) and not _is_no_statement(text.strip()))
    if (last := next(stating, None)) is not None:
        return [last]
    closing = ((p, plain[p.start : p.end].strip()) for p in passages[-1:])
    return [p for p, text in closing if not (_ORDER.match(text) or _DENIED.search(text))]


def _is_no_statement(sentence: str) -> bool:
    """Return whether a sentence is an aside, a denial or an order: "Compute 1/2 + 1/4."."""
    return (
        is_aside(sentence)
        or _ORDER.match(sentence) is not None
        or _DENIED.search(sentence) is not None
    )


def _place(text: str) -> str:
    """Return how reasons say where the expression stands; empty if that is the whole answer."""
    shape = shaped(text)
    if shape.strong:
        return f" ({shape.strong[0].place})"
    if any(statement.counts for statement in shape.marked[:1]):
        return f" ({shape.marked[0].place})"
    return f" ({AFTER_CORRECTION})" if shape.corrected_from else ""


def _pieces(text: str) -> list[str]:
    rather = _RATHER.search(text)
    text = _without_reason(text[rather.end() :] if rather else text)
    first, *others = dict.fromkeys(_OR.split(text))  # each once: "12 or 12 or 12"
    alternatives = _pieces(first) if others or first != text else []
    if alternatives and all(_is_same(alternatives, other) for other in others):
        return alternatives
    text = text.partition("$")[2] if text.count("$") % 2 else text
    pair = _SYSTEM.search(text)
    if pair and pair[1] != pair[2] and any({*pair.groups()} <= {*each} for each in _UNKNOWNS):
        return [text.replace("$", "")]
    spans = ["".join(filter(None, groups)) for groups in _LATEX.findall(text)]
    pieces = [", ".join(spans), spans[-1]] if spans else [text, *_IS.split(text)[-1:]]
    pieces += _in_words(text, spans)
    if not spans and "\\" not in text:
        pieces += [_WORDS_BEFORE.sub("", _WORDS_AFTER.sub("", pieces[-1]), count=1)]
    return [side for piece in pieces for side in (piece, *_sides(piece))]


def _is_same(pieces: list[str], text: str) -> bool:
    return any(same_math(a, b) for b in (*_pieces(text), *_spelled(text)) for a in pieces)


def _spelled(text: str) -> list[str]:
    """Return the last number of a text that has none in digits: "one half"."""
    return [] if _MATH.search(text) else [str(q.values[0]) for q in quantities_in(text)[-1:]]


def _in_words(text: str, spans: list[str]) -> list[str]:
    """Return the number that a sentence states outside of its formulas: "$n$ is 24", "5 values of
    $a$"; nothing if a formula may state another."""
    outside = _LATEX.sub(lambda formula: " x" + " " * (len(formula[0]) - 2), text)
    number = StatementReader(text, ()).in_sentence(outside)
    if number is None or number.is_word or not number.values:
        return []
    is_term = _TERM_BEFORE.search(outside, 0, number.start) or _TERM_AFTER.match(text, number.end)
    is_beside = _MATH.search("".join(spans)) and outside.rfind(" x ") > number.start
    return [] if is_term or is_beside else [str(number.values[0])]


def _without_reason(text: str) -> str:
    """Return a statement without its reason ("since $2x = 10$") and a remark in brackets."""
    for side in (_REASON, _GLOSS):
        rest = side.search(text)
        text = (
            text[: rest.start()].rstrip(" ,;")
            if rest and _MATH.search(text, 0, rest.start())
            else text
        )
    return text


def _sides(text: str) -> list[str]:
    """Return what stands after the last `=`, and what a number at the end is close to."""
    sides = _EQUALS.split(_MODULO.sub("", text))  # with the signs between them
    is_close = len(sides) > 1 and sides[-2] in _CLOSE
    return [sides[-1], *([sides[-3]] if is_close else ())] if len(sides) > 1 else []
