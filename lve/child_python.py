"""Starting lve's child processes: with lve's modules, without keys, with limited memory.

Work whose duration nobody can foresee (a checker's code, a chat template, a Parquet file) runs in a
child process, which can be killed. Each kind has its own protocol; this is what they share.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

# fmt: off
KEPT_VARIABLES = frozenset({
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP",
    "VIRTUAL_ENV", "CONDA_PREFIX", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH",
    "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA",
    "COMSPEC", "PATHEXT",
    "CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS", "TOKENIZERS_PARALLELISM", "TORCH_HOME", "NLTK_DATA",
    "HF_HOME", "HF_HUB_CACHE", "HF_HUB_OFFLINE", "HF_DATASETS_CACHE", "HF_DATASETS_OFFLINE",
    "TRANSFORMERS_CACHE", "TRANSFORMERS_OFFLINE",
    "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE",
})
# fmt: on
KEPT_PREFIXES = ("LC_", "PYTHON")
"""Variables that programs need to run. None may hold a key, as a proxy's URL does."""

_START = (
    "import sys; sys.path[:] = sys.argv[1:]; del sys.argv[1:]; "
    "from {module} import main; main({argument})"
)
"""The child finds the same modules as this process; its current directory isn't added."""


def child_command(module: str, argument: float | None = None) -> list[str]:
    """Return the command that runs a module of lve in a child process.

    Args:
        module: the module; the child calls its `main`.
        argument: the argument of `main`; None: `main` takes none.
    """
    start = _START.format(module=module, argument="" if argument is None else argument)
    return [sys.executable, "-c", start, *sys.path]


def child_environment(environment: Mapping[str, str], more: Iterable[str] = ()) -> dict[str, str]:
    """Return the environment variables that a child process may see.

    Args:
        environment: all variables.
        more: names of variables to keep beside the usual ones.
    """
    kept = {*KEPT_VARIABLES, *more}
    return {
        name: value
        for name, value in environment.items()
        if name in kept or name.startswith(KEPT_PREFIXES)
    }


def limit_memory(more: int) -> None:
    """Limit the memory of this process, and let it write no core file, which would hold its data.

    Windows has neither limit, macOS none for memory.

    Args:
        more: bytes that the process may take on top of what it has now.
    """
    if sys.platform == "win32":
        return
    import resource

    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    limit = _own_bytes() + more
    with suppress(OSError, ValueError):  # a lower one is in force
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def _own_bytes() -> int:
    """Return how much private memory the process has; 0 where the system doesn't say."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
