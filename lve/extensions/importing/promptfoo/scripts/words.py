"""The words of JavaScript, and what is written between quotes."""

from __future__ import annotations

import re

from lve.extensions.importing.promptfoo.source import UnsupportedError

SPACE = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
NUMBER = re.compile(r"(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\w.])")
NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
TEXT = re.compile(
    r"""'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\$]|\\.|\$(?!\{))*)`""", re.DOTALL
)
SKIPPED = (TEXT, re.compile(r"`(?:[^`\\]|\\.)*`", re.DOTALL), NAME, NUMBER)
REGEX = re.compile(r"/((?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)/([a-z]*)")
OPERATOR = re.compile(r"=>|===|!==|==|!=|<=|>=|&&|\|\||\?\?|\?\.|[-+*/%<>!?:.,;()\[\]{}=]")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "b": "\b", "f": "\f", "v": "\v", "\n": ""}


def unescaped(text: str) -> str:
    """Return what is written between quotes."""
    return _ESCAPE.sub(_character, text)


def _character(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    if code:
        return chr(int(code, 16))
    if match[3] in "ux":
        raise UnsupportedError("left out: its script has an unusual escape")
    return _ESCAPES.get(match[3], match[3])
