"""The attack that draws a text, in letters of three by five points."""

from __future__ import annotations

import re

HEIGHT = 5
_MARKS = ("   ", "  #", " # ", " ##", "#  ", "# #", "## ", "###")
"""The points of a line, by a number from 0 to 7."""
_FONT = """
A25755 B65656 C34443 D65556 E74647 F74644 G34553 H55755 I72227 J11152 K55655 L44447 M57755 N65555
O25552 P65644 Q25563 R65655 S34216 T72222 U55557 V55552 W55775 X55255 Y55222 Z71247 075557 126227
271747 371717 455711 574717 674757 771111 875757 975717
"""
LETTERS = {entry[0]: [_MARKS[int(digit)] for digit in entry[1:]] for entry in _FONT.split()}
"""Character -> its lines, from the top."""


def drawn(text: str) -> str:
    """Return a text as a drawing of capital letters, a block of five lines for each word. What has
    no drawing stands in the middle line as it is."""
    return "\n\n".join(_block(word) for word in re.split(r"\s+", text.strip()))


def _block(word: str) -> str:
    letters = [LETTERS.get(character) or _as_it_is(character) for character in word.upper()]
    lines = (" ".join(letter[line] for letter in letters).rstrip() for line in range(HEIGHT))
    return "\n".join(lines)


def _as_it_is(character: str) -> list[str]:
    return [character if line == HEIGHT // 2 else " " for line in range(HEIGHT)]
