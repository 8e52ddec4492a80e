"""The commands and the environment variables of child processes."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping

# fmt: off
KEPT_VARIABLES = frozenset({
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP",
    "VIRTUAL_ENV", "CONDA_PREFIX", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH",
    "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA",
    "COMSPEC", "PATHEXT",
    "CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS", "TOKENIZERS_PARALLELISM", "TORCH_HOME", "NLTK_DATA",
    "HF_HOME", "HF_HUB_CACHE", "HF_HUB_OFFLINE", "HF_DATASETS_CACHE", "HF_DATASETS_OFFLINE",
    "TRANSFORMERS_CACHE", "TRANSFORMERS_OFFLINE",
    "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "LVE_TOOLS",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE",
})
# fmt: on
KEPT_PREFIXES = ("LC_", "PYTHON")
"""Variables that programs need to run. None of them can hold a key, as the URL of a proxy can."""

_START = (
    "import sys; sys.path[:] = sys.argv[1:]; del sys.argv[1:]; "
    "from {module} import main; main({argument})"
)
"""Gives the child the module search path of this process, without its current directory."""


def child_command(module: str, argument: float) -> list[str]:
    """Return the command that runs a module of lve in a child process.

    Args:
        module: the module; the child calls its `main`.
        argument: the argument of `main`.
    """
    start = _START.format(module=module, argument=argument)
    return [sys.executable, "-c", start, *sys.path]


def child_environment(environment: Mapping[str, str], more: Iterable[str] = ()) -> dict[str, str]:
    """Return the environment variables that a child process may see.

    Args:
        environment: all variables.
        more: names of variables to keep in addition to the usual ones.
    """
    allowed_names = {*KEPT_VARIABLES, *more}
    return {
        name: value
        for name, value in environment.items()
        if name in allowed_names or name.startswith(KEPT_PREFIXES)
    }
