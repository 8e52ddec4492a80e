"""Names of the shape of an answer for modules that don't read it as a whole yet."""

from lve.checkers.shape.characters import unified, without_marks
from lve.checkers.shape.introduction import without_preamble
from lve.checkers.shape.shape import answer_body

__all__ = ["answer_body", "unified", "without_marks", "without_preamble"]
