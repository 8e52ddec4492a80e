"""Texts as files have them: without the keys that this process has or had."""

from __future__ import annotations

from lve.secrets.redaction import lasting_redactor


def file_text(text: str) -> str:
    """Return a text as it is written to a file, and compared with what is in one: without secrets.
    All that writes texts to files uses it, or `lve.documents.json_lines.file_json`."""
    return lasting_redactor()(text)


def keyless_line(line: bytes) -> bytes:
    """Return a journal's line without the keys that are known now: the session may not have known
    them."""
    redact = lasting_redactor()
    if not redact.has_secrets:
        return line
    return redact(line.decode("utf-8", "replace")).encode("utf-8", "replace")
