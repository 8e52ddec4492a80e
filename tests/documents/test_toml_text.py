"""TOML, which is parsed by the standard library within limits."""

from __future__ import annotations

import pytest

from lve.documents.toml_text import MAX_DOTS, parse_toml


def test_a_line_has_as_many_dots_as_are_allowed_and_no_more() -> None:
    assert parse_toml(f"a = '{'.' * MAX_DOTS}'") == {"a": "." * MAX_DOTS}
    with pytest.raises(ValueError, match="dots"):
        parse_toml(f"a = '{'.' * (MAX_DOTS + 1)}'")
