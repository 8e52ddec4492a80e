"""How a Python process of lve's own is started: with lve's modules, without keys, with a limit of
its memory.

Some work has no end that can be foreseen: a checker's code, a model's chat template, a Parquet
file. It is done in a process that can be ended, and each kind has its own protocol; what all of
them need is here.
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
"""What a program needs to run at all; nothing that could be a key or hold one (a proxy's URL)."""

_START = (
    "import sys; sys.path[:] = sys.argv[1:]; del sys.argv[1:]; "
    "from {module} import main; main({argument})"
)
"""The same modules as here: the current directory counts only if it does here."""


def child_command(module: str, argument: float | None = None) -> list[str]:
    """Return the words of a command that runs a module of lve's.

    Args:
        module: its `main` is called there.
        argument: what `main` is called with; nothing when None.
    """
    start = _START.format(module=module, argument="" if argument is None else argument)
    return [sys.executable, "-c", start, *sys.path]


def child_environment(environment: Mapping[str, str], more: Iterable[str] = ()) -> dict[str, str]:
    """Return the variables that such a process may see.

    Args:
        environment: all there are.
        more: names of further ones.
    """
    kept = {*KEPT_VARIABLES, *more}
    return {
        name: value
        for name, value in environment.items()
        if name in kept or name.startswith(KEPT_PREFIXES)
    }


def limit_memory(more: int) -> None:
    """Have a request for more memory fail in this process, before the machine has none left, and
    no core file be written, which would hold what the process worked on. Where the system knows no
    such limits (Windows; macOS for memory) there are none.

    Args:
        more: bytes besides what the process takes now.
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
    """Return how much memory of its own the process has, where that can be known."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
