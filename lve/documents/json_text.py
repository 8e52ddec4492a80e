"""Parses JSON texts, and explains what is wrong with them.

Nearly all documents are fine, so `parse_json` uses the fast parser (`json_decode`). If there is a
problem, `scan_json` goes over the text again in Python and finds all positions and problems. Its
messages are lve's own, because the standard library's differ between Python versions and give the
position after the mistake.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lve.documents.json_decode import decode_json
from lve.documents.places import Places, TextError

if TYPE_CHECKING:
    from lve.documents.json_scan import JsonScan


def parse_json(text: str) -> Any:
    """Return the value of a JSON text.

    Raises:
        TextError: with what is wrong.
    """
    try:
        return decode_json(text)
    except ValueError:
        raise TextError(scan_json(text).problems()) from None


def json_places(text: str) -> Places:
    """Return the positions of all values and keys of a JSON text."""
    return scan_json(text).places


def scan_json(text: str) -> JsonScan:
    """Return the positions and problems of a JSON text."""
    from lve.documents.json_scan import JsonScan  # imported late: most runs never need it

    scan = JsonScan(text)
    scan.run()
    return scan
