"""Keeps Hugging Face's libraries from using the network.

    with hub_access(download=False):
        tokenizer = AutoTokenizer.from_pretrained(name, local_files_only=True)

`local_files_only` isn't enough: transformers still asks the hub for the kind of model that a
tokenizer belongs to. Only the offline mode prevents that, and the libraries read it when they are
imported. So it is switched on during import and use, and restored afterwards, because the rest of
the process may need the hub.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_VARIABLES = {
    "HF_HUB_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
}
"""Environment variables that the libraries read on import, as do child processes."""
_SWITCHES = (
    ("huggingface_hub.constants", "HF_HUB_OFFLINE"),
    ("datasets.config", "HF_HUB_OFFLINE"),
    ("datasets.config", "HF_DATASETS_OFFLINE"),
    ("transformers.utils.hub", "_is_offline_mode"),  # before transformers 5
)
"""Module and attribute where a library keeps the value that it read."""
_TRUE = frozenset({"1", "ON", "YES", "TRUE"})
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")
MAX_NAME = 200
"""Maximum length of a name, in characters. Names on the hub are shorter, and file systems don't
allow much longer ones."""
_one_at_a_time = threading.RLock()


def is_hub_name(name: str) -> bool:
    """Return whether a name has the form of a name on the hub: `OWNER/NAME` or `NAME`."""
    return len(name) <= MAX_NAME and _NAME.fullmatch(name) is not None


@contextmanager
def hub_access(*, download: bool) -> Iterator[None]:
    """Keep the libraries from using the network during the block, unless `download` is True.

    Only one block runs at a time, because the offline mode applies to the whole process.
    """
    with _one_at_a_time:
        if download:
            yield
            return
        variables = {name: os.environ.get(name) for name in _VARIABLES}
        switches = {switch: _switched(*switch) for switch in _SWITCHES}
        os.environ.update(_VARIABLES)
        for switch in _SWITCHES:
            _switch(*switch, True)
        try:
            yield
        finally:
            _restore(variables)
            for switch, before in switches.items():
                # None: the module was imported inside the block. Set what it would have read.
                _switch(*switch, _is_offline_wanted() if before is None else before)


def _switched(module: str, name: str) -> object:
    return getattr(sys.modules.get(module), name, None)


def _switch(module: str, name: str, value: object) -> None:
    loaded = sys.modules.get(module)
    if hasattr(loaded, name):
        setattr(loaded, name, value)


def _restore(variables: dict[str, str | None]) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _is_offline_wanted() -> bool:
    """Return whether the user's environment asks for offline mode."""
    names = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
    return any(os.environ.get(name, "").upper() in _TRUE for name in names)
