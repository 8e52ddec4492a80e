"""Everything that commands of lve and pytest import, for processes that fork them."""

from __future__ import annotations

import importlib
import pkgutil

OFTEN = (
    *("httptools", "jsonschema", "jsonschema_rs", "orjson", "rapidfuzz", "regex", "yaml"),
    *("pdb", "unittest", "xml.etree.ElementTree", "pytest"),
    *("execnet", "pytest_timeout"),  # xdist itself remembers sys.path
)


def import_everything() -> None:
    """Import what the commands import, so that a child has it."""
    from _pytest.config import builtin_plugins

    import lve

    for name in (*OFTEN, *(f"_pytest.{plugin}" for plugin in builtin_plugins)):
        importlib.import_module(name)
    for module in pkgutil.walk_packages(lve.__path__, "lve."):
        if ".hf." not in module.name and not module.name.endswith("__main__"):
            importlib.import_module(module.name)
