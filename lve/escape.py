"""Escapes hostile text for terminals, logs and CI pages, and shortens long text.

Nothing that is shown has a key of this process: all texts for a terminal, for pytest and for pages
go through this module, which leaves the keys out.

Model output may contain escape sequences that recolour, overwrite or retitle a terminal, and
invisible or direction-changing characters that make a text look different from what it is
(CVE-2021-42574). All of them are shown as `\\x1b`, `\\u202e`, ...

CI runners obey some lines that a command prints, such as `::add-mask::`. In such a line, the first
character of the marker is escaped, too: `\\x3a:add-mask::`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lve.secrets.redaction import Redactor

ELLIPSIS = "…"

# C0 without tab and line feed, DEL and C1; soft hyphen; Arabic letter mark, Hangul fillers,
# Mongolian vowel separator; zero-width and direction marks, line and paragraph separators,
# embeddings and overrides; invisible operators and isolates; byte order mark, interlinear
# annotation; surrogates; language tags.
# Patterns are kept as texts: compiling them on import would slow down every start.
_HOSTILE = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
# GitHub's `::command::` also works after blanks; Travis folds the log.
_AT_START = r"(?m)^([^\S\n]*(?:(?=::)|travis_fold|travis_time)):"
# Azure's `##vso[` and `##[section]`, TeamCity's `##teamcity[`, GitHub's old `##[command]`.
_ANYWHERE = r"#(?=#\w{0,20}\[)"
_DOUBLE = "#(?=#)"
SHOWN_CHARACTERS = 60
SHOWN_NAMES = 20
SHOWN_LINES = 4


class PlacedWarning(str):
    """A text that says itself where it warns of something: `test.yaml:3: warning: ...`."""

    __slots__ = ()


def escape(text: str) -> str:
    """Return `text` without keys, with control, invisible and direction-changing characters
    escaped, and CI commands disarmed. Line feeds and tabs are kept."""
    return disarm(visible(text))


def visible(text: str) -> str:
    """Do what `escape` does, without disarming CI commands: for output that no CI runner reads."""
    text = keyless(text)
    if text.isascii() and text.isprintable():
        return text
    return re.sub(_HOSTILE, _spell, text)


def keyless(text: str) -> str:
    """Return `text` without the keys of this process. Only for texts that are split, compared or
    wrapped before they are escaped: the parts of a key wouldn't be recognised."""
    return _own_redactor()(text)


def disarm(text: str) -> str:
    """Return `text` with CI commands disarmed: for lines that are joined from escaped pieces."""
    if "::" in text or "travis_" in text:
        text = re.sub(_AT_START, r"\1\\x3a", text)
    return re.sub(_ANYWHERE, r"\\x23", text) if "##" in text else text


def disarm_json(text: str) -> str:
    """Return a JSON text with the same value and no CI command. In JSON, `##` occurs only inside
    strings, where `#` can be written as an escape."""
    return re.sub(_DOUBLE, r"\\u0023", text) if "##" in text else text


def escape_line(text: str) -> str:
    """Return `text` escaped, including line feeds and tabs, so that it stays on one line."""
    return escape(text).replace("\n", "\\n").replace("\t", "\\t")


def one_line(text: str, width: int | None = None) -> str:
    """Return `text` escaped, on one line, clipped to `width` terminal columns."""
    # Cut first: a 10 MB answer must not be escaped for one line.
    if width is not None:
        text = head(text, 4 * width + 64)
    line = escape(re.sub(r"\s+", " ", keyless(text)).strip())  # a key may have blanks
    return line if width is None else clip(line, width)


def clip(text: str, width: int) -> str:
    """Return `text` cut to `width` terminal columns; a cut text ends in an ellipsis."""
    if len(text) * 2 <= width or columns(text) <= width:
        return text
    text = keyless(text)
    used = 0
    for index, character in enumerate(text):
        used += _columns_of(character)
        if used > width - 1:
            return text[:index] + ELLIPSIS
    return text


def columns(text: str) -> int:
    """Return the width of `text` in terminal columns."""
    if text.isascii():
        return len(text)
    return sum(_columns_of(character) for character in text)


def head(text: str, most: int) -> str:
    """Return the beginning of `text`, at most `most` characters. A cut text has no secret of this
    process, because none would be recognised after the cut. All texts from outside are cut by this
    function, or by one that uses it."""
    if len(text) <= most:
        return text
    return _own_redactor().head(text, most)


def tail(text: str, most: int) -> str:
    """Return the end of `text`, as `head` returns its beginning."""
    if len(text) <= most:
        return text
    return _own_redactor().tail(text, most)


def last_lines(text: str, *, is_cut: bool, most: int) -> str:
    """Return what a program printed last, on one line and without keys: its last whole lines that
    aren't blank.

    Args:
        text: all that is kept of what it printed.
        is_cut: whether it printed more before that.
        most: the most characters.
    """
    text = _own_redactor().fragment(text, is_cut_before=is_cut)
    lines = [line.strip() for line in text.splitlines()]
    if is_cut and len(lines) > 1:
        del lines[0]  # a part of one
    return tail(" / ".join([line for line in lines if line][-SHOWN_LINES:]), most)


def excerpt(value: object, characters: int = SHOWN_CHARACTERS) -> str:
    """Return a value as text; a longer text is cut, without secrets, and ends in `...`."""
    text = str(value)
    return text if len(text) <= characters else head(text, characters - 3) + "..."


def quoted(text: str, *, limit: int = 80) -> str:
    """Return a text as reasons show it: in quotes, cut to `limit` characters."""
    return repr(text if len(text) <= limit else excerpt(text, limit))


def listed(names: Collection[object]) -> str:
    """Return the first `SHOWN_NAMES` names and the number of the others: `a, b and 3 more`. Without
    names, return `none`."""
    excerpts = [excerpt(name) for name, _ in zip(names, range(SHOWN_NAMES), strict=False)]
    more = len(names) - len(excerpts)
    return (", ".join(excerpts) or "none") + (f" and {more:,} more" if more else "")


def first_names(names: Sequence[str], most: int) -> str:
    """Return the first names of a list, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def _own_redactor() -> Redactor:
    # Late: pytest loads this module where no test is lve's.
    from lve.secrets.redaction import own_redactor

    return own_redactor()


def _columns_of(character: str) -> int:
    import unicodedata  # costs start-up time

    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _spell(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x100:
        return {0x0D: "\\r", 0x0B: "\\v", 0x0C: "\\f"}.get(code, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
