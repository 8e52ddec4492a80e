"""Everything that commands of lve and pytest import, for processes that fork them."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import pkgutil
import tempfile

from known_packages import read_once

OFTEN = (
    *("httptools", "jsonschema", "jsonschema_rs", "orjson", "rapidfuzz", "regex", "yaml"),
    *("encodings.idna", "encodings.utf_8_sig", "pdb", "resource", "statistics", "unittest"),
    "xml.etree.ElementTree",
)


def import_everything() -> None:
    """Import what the commands import, so that a child has it."""
    read_once()
    _run_pytest()
    import lve

    for name in OFTEN:
        importlib.import_module(name)
    for module in pkgutil.walk_packages(lve.__path__, "lve."):
        if ".hf." not in module.name and not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def _run_pytest() -> None:
    """Have pytest import its plugins, lve among them: it warns of those that are there before."""
    import pytest

    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        pytest.main(["-c", os.devnull, f"--rootdir={folder}", folder])
    tempfile.tempdir = None  # each child has its own
