"""Reads scripts that stay as they are: the check `promptfoo_script` runs them in the sandbox."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from lve.escape import excerpt
from lve.extensions.importing.promptfoo.source import FILE, Source, UnsupportedError
from lve.extensions.importing.promptfoo.templates import is_template
from lve.prompts.fill_texts import as_literal

LANGUAGES = {".js": "javascript", ".cjs": "javascript", ".mjs": "javascript", ".py": "python"}
SEEN = frozenset({"vars", "prompt", "config", "get"})
"""What a script gets of its context."""
MAX_SCRIPT = 100_000
TRANSFORMS = ("transform", "postprocess")
SCRIPT = "promptfoo_script"
_CONTEXT = re.compile(r"""context(?:\??\.|\[['"]|\.get\(['"])(\w+)""")
_REQUIRED = re.compile(r"""(?:require|import)\(\s*['"](?:node:)?([^'"]+)['"]""")
_PYTHON_IMPORT = re.compile(r"^\s*(?:from|import)\s+([\w.]+)", re.MULTILINE)
_EXPORT = re.compile(r"^export\s+default\s+", re.MULTILINE)
_MODULE = re.compile(r"^\s*(?:import|export)\b", re.MULTILINE)
_BUILT_IN = frozenset(("assert", "buffer", "crypto", "path", "querystring", "url", "util"))
"""Modules of node that need no files and no network."""


def script_of(source: Source, value: str, language: str) -> dict[str, Any]:
    """Return the arguments of the check for a script.

    Args:
        source: reads files.
        value: the script, or `file://NAME` or `file://NAME:FUNCTION`.
        language: of a script that isn't in a file.

    Raises:
        UnsupportedError: it can't be read, or needs what it can't have.
    """
    text, function = value.rstrip(), ""
    if value.startswith(FILE):
        stem, _, ending = value.rpartition(".")
        ending, _, function = ending.partition(":")
        name = f"{stem}.{ending}"
        text, language = _of_file(source, name, source.scripts.get(name.removeprefix(FILE)))
    if len(text) > MAX_SCRIPT:
        raise UnsupportedError(f"left out: its script has more than {MAX_SCRIPT:,} characters")
    text = _EXPORT.sub("module.exports.default = ", text) if language == "javascript" else text
    _check(text, language)
    script: dict[str, Any] = {SCRIPT: as_literal(text)}
    if language == "python":
        script["written_in"] = language
    if value.startswith(FILE):
        script |= {"form": "file", **({"function": function} if function else {})}
    source.tell("scripts run in the sandbox, once the test is trusted: `lve run --trust`")
    return script


def _of_file(source: Source, name: str, translated: str | None) -> tuple[str, str]:
    """Return the text of a script, and its language."""
    language = LANGUAGES.get(PurePosixPath(name).suffix)
    if language is None and translated is None:
        raise UnsupportedError(f"left out: lve doesn't run {excerpt(name)}")
    text = source.text(name)
    is_module = language == "javascript" and _MODULE.search(text)
    if translated is not None and (language is None or is_module):
        return translated, "javascript"
    return text, language or ""


def _check(text: str, language: str) -> None:
    if lost := {*_CONTEXT.findall(text)} - SEEN:
        raise UnsupportedError(f"left out: its script uses context.{min(lost)}")
    if language == "python":
        modules = {name.partition(".")[0] for name in _PYTHON_IMPORT.findall(text)}
        others = modules - sys.stdlib_module_names
    else:
        others = {*_REQUIRED.findall(text)} - _BUILT_IN
        if _MODULE.search(text):
            raise UnsupportedError("left out: its script imports or exports as ES modules do")
    if others:
        raise UnsupportedError(f"left out: its script needs {excerpt(min(others))}")


def transforms_of(source: Source, options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the transform of an assertion, of a test's options or of a provider as filters of
    `extract`: none or one.

    Raises:
        UnsupportedError: it can't be kept.
    """
    value = next((options[key] for key in TRANSFORMS if options.get(key)), None)
    if value is None:
        return []
    if not isinstance(value, str) or is_template(value):
        raise UnsupportedError("left out: its transform isn't a script")
    script = script_of(source, value, "javascript")
    if "context" in script[SCRIPT] and "form" not in script:
        raise UnsupportedError("left out: its transform uses context")
    if script.get("form") == "file" and script.get("written_in") == "python":
        script.setdefault("function", "get_transform")
    if source.answers == "json":
        script["answer"] = "json"
    return [{"type": SCRIPT, "script": script.pop(SCRIPT), **script}]
