"""Any JSON, with the words of a format sprinkled in: what a hostile server may send."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st


def any_json(keys: Sequence[str], words: Sequence[str]) -> st.SearchStrategy[Any]:
    """Return values whose objects have these keys and whose texts are often these words."""
    leaf = (
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(words)
    )
    return st.recursive(
        leaf,
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(keys), inner),
        max_leaves=12,
    )
