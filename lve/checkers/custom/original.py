"""What custom checkers import from the original LVE package, under its names there.

The process of a custom checker offers it as `lve.prompt` and `lve.utils.importutils`; nowhere else
do these names exist.
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

from lve.errors import MissingExtraError
from lve.messages import Message, Role


def offer_original_modules() -> None:
    """Make the modules importable under their original names, in this process."""
    importutils = _offer(
        "lve.utils.importutils", installed=installed, ensure_installed=ensure_installed
    )
    # With a path it is a package: `import lve.utils.importutils` looks for one.
    _offer("lve.utils", __path__=[], importutils=importutils)
    _offer("lve.prompt", Message=Message, Role=Role)


def _offer(name: str, **content: object) -> ModuleType:
    module = sys.modules[name] = ModuleType(name)
    vars(module).update(content)
    return module


def installed(module_name: str) -> ModuleSpec | None:
    """Return the spec of a module that can be imported, or None."""
    import importlib.util

    return importlib.util.find_spec(module_name)


def ensure_installed(
    module_name: str,
    package: str | None = None,
    version: str | None = None,
    component: str | None = None,
) -> None:
    """Check that a module can be imported.

    Args:
        module_name: the module.
        package: the name to install, where it differs.
        version: a version specifier such as `>=2.1.0`, for the message.
        component: what needs it, for the message.

    Raises:
        MissingExtraError: it is not installed; names the command that installs it.
    """
    if installed(module_name) is not None:
        return
    requirement = f"{package or module_name}{version or ''}"
    needed_by = f" (needed by {component})" if component else ""
    raise MissingExtraError(
        f"the package '{package or module_name}' is not installed{needed_by}:"
        f" pip install '{requirement}'"
    )
