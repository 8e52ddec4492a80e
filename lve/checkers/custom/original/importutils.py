"""For custom checkers of the original LVE repository: is a package installed?"""

from __future__ import annotations

from importlib.machinery import ModuleSpec

from lve.errors import MissingExtraError


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
