"""Tests that need packages which not every installation has."""

from importlib.util import find_spec

import pytest


def needs(*packages: str) -> pytest.MarkDecorator:
    """Return the mark that skips tests where a package is missing.

    `pytest.importorskip` imports it in every process that collects tests: torch takes seconds.
    """
    missing = [name for name in packages if find_spec(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")
