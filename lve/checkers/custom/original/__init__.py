"""Modules that custom checkers import from the original LVE package, under their names there.

The process of a custom checker offers them as `lve.prompt` and `lve.utils.importutils`; nowhere
else do these names exist.
"""

from __future__ import annotations

import sys
from types import ModuleType

from lve.checkers.custom.original import importutils, prompt


def offer_original_modules() -> None:
    """Make the modules importable under their original names, in this process."""
    utils = ModuleType("lve.utils", "Helpers of the original LVE package.")
    utils.__path__ = []  # a package: `import lve.utils.importutils` looks for one
    utils.importutils = importutils  # type: ignore[attr-defined]
    sys.modules["lve.prompt"] = prompt
    sys.modules["lve.utils"] = utils
    sys.modules["lve.utils.importutils"] = importutils
