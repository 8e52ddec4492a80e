"""The codes of risks, techniques and weaknesses that tags and columns may have, and their names.

`codes.json` has codes and names only, compared on 2026-11-28 with

* the OWASP Top 10 for LLM applications (2025): the headings of `2_0_vulns/` in
  github.com/OWASP/www-project-top-10-for-large-language-model-applications, commit 02059576
* MITRE ATLAS 5.6.0: `dist/ATLAS.yaml` of github.com/mitre-atlas/atlas-data, v5.6.1; the name of a
  subtechnique has that of its technique before it
* NIST AI 600-1 (July 2024): the headings of its section 2, as public pages quote them, and the
  subcategories of the AI RMF that its suggested actions are numbered by, which have no names
* AVID's taxonomy: `SepEnum` of github.com/avidml/avidtools, commit 0330b44e
* CWE 4.17, with CWE-1434 of a later one: the names of all weaknesses are those of the package cwe2
  3.0.0 (CWE 4.15) and of cwe-tree 1.0.0; later ones, categories and views weren't compared
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from lve.named_tuples import NamedTuple
from lve.suggest import did_you_mean

CODES_FILE = "codes.json"
LAST_CWE, NEW_NUMBERS = 1431, 500
"""The last number of CWE 4.17, and how far beyond it a code may be that is newer."""
Tables = Mapping[str, Mapping[str, str]]


class _List(NamedTuple):
    """A published list of codes."""

    table: str
    """Its table in `codes.json`."""
    code: str
    """The code as the table has it, with a place for what the shape's group matches: a number, or a
    text in capitals."""
    shape: str
    """The pattern of a text that has a code of it, in letters of any case."""
    title: str


_LISTS = (
    _List(
        *("owasp", "LLM{:02}", r"(?:owasp[: -])?llm[-_ ]?(\d{1,2})(?::(?:2025|25))?"),
        "the OWASP Top 10 for LLM applications (2025)",
    ),
    _List("atlas", "{}", r"(?:atlas:)?(AML\.(?:TA|T|M|CS)\d{4}(?:\.\d{3})?)", "MITRE ATLAS"),
    _List(
        *("nist", "NIST-AI-600-1:2.{}", r"(?:NIST[- ])?(?:AI[- ])?600-1[ :§/-]{1,2}2\.(\d{1,2})"),
        "NIST AI 600-1",
    ),
    _List("nist_actions", "{}", r"((?:GV|MP|MS|MG)-\d\.\d{1,2})-\d{3}", "NIST AI 600-1"),
    _List("avid", "{}", r"(?:avid[a-z-]*:)?(?:[a-z]+:)?([SEP]0\d{3})", "AVID's taxonomy"),
    _List("cwe", "CWE-{}", r"CWE[-: ](\d{1,5})", "CWE 4.17"),
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

    A number of CWE a little beyond the last one of 4.17 may be new, so it isn't wrong.
    """
    match = _match(value)
    if match is None:
        return None
    codes, code = match
    table = code_tables()[codes.table]
    if code in table or (codes.table == "cwe" and _may_be_new(code)):
        return None
    hint = did_you_mean(code, [each for each in table if each[0] == code[0]])
    return f"{codes.title} has no code `{code}`", hint


def _match(value: str) -> tuple[_List, str] | None:
    if len(value) > 60:
        return None
    for codes in _LISTS:
        match = re.fullmatch(codes.shape, value.strip(), re.IGNORECASE)
        if match is not None:
            code = match[1]
            return codes, codes.code.format(int(code) if code.isdecimal() else code.upper())
    return None


def _may_be_new(code: str) -> bool:
    return LAST_CWE < int(code.rpartition("-")[2]) <= LAST_CWE + NEW_NUMBERS
