"""The codes of risks, techniques and weaknesses that tags and columns may have, and their names.

`codes.json` has the OWASP Top 10 for LLM applications (2025), MITRE ATLAS 5.6, the risks and the
subcategories of NIST AI 600-1, AVID's taxonomy and CWE 4.14.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib.resources import files

from lve.named_tuples import NamedTuple
from lve.suggest import did_you_mean

CODES_FILE = "codes.json"
NEW_NUMBERS = 500
"""How far beyond the last number of CWE a code may be that is newer than the table."""
Tables = Mapping[str, Mapping[str, str]]


class _List(NamedTuple):
    """A published list of codes."""

    title: str
    table: str
    """Its table in `codes.json`."""
    shape: re.Pattern[str]
    """What a text looks like that has a code of it."""
    code: Callable[[re.Match[str]], str]
    """Returns the code as the table has it."""


_LISTS = (
    _List(
        "the OWASP Top 10 for LLM applications (2025)",
        "owasp",
        re.compile(r"(?:owasp[: -])?llm[-_ ]?(\d{1,2})(?::(?:2025|25))?", re.IGNORECASE),
        lambda match: f"LLM{int(match[1]):02}",
    ),
    _List(
        "MITRE ATLAS",
        "atlas",
        re.compile(r"(?:atlas:)?(AML\.(?:TA|T|M|CS)\d{4}(?:\.\d{3})?)", re.IGNORECASE),
        lambda match: match[1].upper(),
    ),
    _List(
        "NIST AI 600-1",
        "nist",
        re.compile(r"(?:NIST[- ])?(?:AI[- ])?600-1[ :§/-]{1,2}2\.(\d{1,2})", re.IGNORECASE),
        lambda match: f"NIST-AI-600-1:2.{int(match[1])}",
    ),
    _List(
        "NIST AI 600-1",
        "nist_actions",
        re.compile(r"((?:GV|MP|MS|MG)-\d\.\d{1,2})-\d{3}", re.IGNORECASE),
        lambda match: match[1].upper(),
    ),
    _List(
        "AVID's taxonomy",
        "avid",
        re.compile(r"(?:avid[a-z-]*:)?(?:[a-z]+:)?([SEP]0\d{3})", re.IGNORECASE),
        lambda match: match[1].upper(),
    ),
    _List(
        "CWE 4.14",
        "cwe",
        re.compile(r"CWE[-: ](\d{1,5})", re.IGNORECASE),
        lambda match: f"CWE-{int(match[1])}",
    ),
)


@lru_cache(maxsize=1)
def code_tables() -> Tables:
    """Return the name of each list -> its codes, with their names."""
    text = files(__package__).joinpath(CODES_FILE).read_text(encoding="utf-8")
    tables: Tables = json.loads(text)
    return tables


def spelled_out(value: str) -> str:
    """Return a value with the name of the code that it is: `LLM01 Prompt Injection`."""
    match = _match(value)
    if match is None:
        return value
    codes, code = match
    name = code_tables()[codes.table].get(code)
    return value if name is None else f"{value} {name}"


def unknown_code(value: str) -> tuple[str, str | None] | None:
    """Return what is wrong with a value that looks like a code but is none, and what it may be
    meant to be; None if nothing is.

    A number of CWE a little beyond the table's last one may be new, so it isn't wrong.
    """
    match = _match(value)
    if match is None:
        return None
    codes, code = match
    table = code_tables()[codes.table]
    if code in table or (codes.table == "cwe" and _may_be_new(code, table)):
        return None
    hint = did_you_mean(code, [each for each in table if each[0] == code[0]])
    return f"{codes.title} has no code `{code}`", hint


def _match(value: str) -> tuple[_List, str] | None:
    if len(value) > 60:
        return None
    for codes in _LISTS:
        match = codes.shape.fullmatch(value.strip())
        if match is not None:
            return codes, codes.code(match)
    return None


def _may_be_new(code: str, table: Mapping[str, str]) -> bool:
    last = max(map(_number, table))
    return last < _number(code) <= last + NEW_NUMBERS


def _number(code: str) -> int:
    return int(code.rpartition("-")[2])
