"""The lenient comparison of a short answer with a text."""

from __future__ import annotations

from typing import ClassVar

from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import AnswerCheck, CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.extract.bare_text import Stated, expected_forms
from lve.checkers.shape.answer_parts import MAX_READ, nothing_stated
from lve.data_classes import dataclass
from lve.escape import quoted


@dataclass(frozen=True, slots=True)
class Text(AnswerCheck):
    """Passes if the answer is this text, apart from formatting.

    Of a sentence, what it says of its subject counts: "The capital is Paris." Case, Markdown,
    quotes, surrounding punctuation, Unicode forms, articles and a remark in brackets are ignored.
    Punctuation with a meaning is not: `C++` is not `C`.
    """

    work_per_character: ClassVar[int] = 400
    reads: ClassVar[int] = MAX_READ

    text: str | tuple[str, ...]
    """The text, or a list of texts, one of which must match."""

    examples: ClassVar = (
        CheckExample(
            {"text": "Paris"},
            ("**Paris**.", "The capital is “Paris”.", "paris", "Paris (France)"),
            ("Paris is nice.", "The capital isn't Paris.", "Parisian", ""),
        ),
        CheckExample({"text": "C"}, ("C", "`c`"), ("C++", "C#")),
        CheckExample({"text": ["USA", "United States"]}, ("the United States",), ("UK",)),
    )

    def __post_init__(self) -> None:
        if not self.values() or not all(map(str.strip, self.values())):
            raise ArgumentError("text", "'text' is empty: there is nothing to compare with")

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        stated = Stated(response)
        right = {form for text in self.values() for form in expected_forms(text)}
        good = any(form in right for form in stated.forms())
        expected = " or ".join(map(quoted, self.values()[:5]))
        place = f" ({stated.place})" if stated.place else ""
        if good:
            return judged(True, f"found {expected}{place}")
        form = next(stated.forms())
        answered = quoted(form) if form else nothing_stated(response, "text")
        return judged(False, f"expected {expected}, found {answered}{place}")
