"""JSON texts: a fast strict parser, and a slow one that knows where everything stands.

Nearly all documents are fine, so `parse_json` takes the fast one (`json_decode`). Only when a
problem has to be shown, `scan_json` goes over the text once more, in Python, and finds every place
and every problem. Its messages are our own: those of the standard library differ between Python
versions and name positions after the mistake.
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
    """Return where everything stands in a JSON text."""
    return scan_json(text).places


def scan_json(text: str) -> JsonScan:
    """Return all places and problems of a JSON text."""
    from lve.documents.json_scan import JsonScan  # most runs never need it

    scan = JsonScan(text)
    scan.run()
    return scan
