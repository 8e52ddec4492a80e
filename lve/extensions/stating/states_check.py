"""The check of what an answer states."""

from __future__ import annotations

from typing import ClassVar

from lve.checkers.builtin_checker import CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.library.texts.patterns import PatternCheck
from lve.data_classes import dataclass
from lve.escape import quoted
from lve.extensions.stating.stated import statement


@dataclass(frozen=True, slots=True)
class States(PatternCheck):
    """Passes if the answer states what the pattern matches: a match that it denies, doubts, asks,
    offers beside an alternative or takes back doesn't count.

    Its clause decides, in English and in part in German. For a number, an option or a label,
    `number`, `option` and `choice` read more closely.
    """

    tier: ClassVar = "expr"

    states: str
    """The pattern, in Python's `re` syntax. Literal braces are doubled: `[0-9]{{2,6}}`. It doesn't
    see Markdown, and apostrophes are straight."""
    flags: str = "I"
    """As in `regex`; by default, upper and lower case are equal."""
    alternatives: bool = False
    """Whether it may stand beside alternatives ("112 or a doctor"), or in an answer that declines
    something ("I can't say why")."""

    examples: ClassVar = (
        CheckExample(
            {"states": "blue (jar|pot)"},
            ("In the **blue jar**.", "Not in the piano, in the blue pot.", "Red? No, a blue jar."),
            ("It isn't in the blue jar.", "The blue jar or the piano.", "I don't know. Blue jar?"),
        ),
    )

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        text, why = statement(response, self.compiled(), self.alternatives)
        if text is None:
            return judged(False, f"{quoted(self.states)} {why}")
        return judged(True, f"states {quoted(text)}")
