"""Whether Hugging Face's libraries may use the network.

    with hub_access(download=False):
        tokenizer = AutoTokenizer.from_pretrained(name, local_files_only=True)

`local_files_only` is no promise: transformers asks the hub all the same what kind of model a
tokenizer belongs to. Only their offline mode keeps them silent, and they read it when they are
imported. So it is set around import and use, and put back afterwards: the process may belong to
somebody who wants the hub for other things.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_VARIABLES = {
    "HF_HUB_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
}
"""What the libraries read when they are imported, and what processes started meanwhile read."""
_SWITCHES = (
    ("huggingface_hub.constants", "HF_HUB_OFFLINE"),
    ("datasets.config", "HF_HUB_OFFLINE"),
    ("datasets.config", "HF_DATASETS_OFFLINE"),
    ("transformers.utils.hub", "_is_offline_mode"),  # before transformers 5
)
"""Where they keep what they have read."""
_TRUE = frozenset({"1", "ON", "YES", "TRUE"})
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")
_one_at_a_time = threading.RLock()


def is_hub_name(name: str) -> bool:
    """Whether a name can be one on the hub, `OWNER/NAME` or `NAME`, and no path elsewhere."""
    return _NAME.fullmatch(name) is not None


@contextmanager
def hub_access(*, download: bool) -> Iterator[None]:
    """Keep the libraries from the network while the block runs, unless they may download.

    One block at a time: the switch is the process's.
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
                # None: it was imported meanwhile, and would have read its variables.
                _switch(*switch, _asked_for() if before is None else before)


def _switched(module: str, name: str) -> Any:
    return getattr(sys.modules.get(module), name, None)


def _switch(module: str, name: str, value: Any) -> None:
    loaded = sys.modules.get(module)
    if hasattr(loaded, name):
        setattr(loaded, name, value)


def _restore(variables: dict[str, str | None]) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _asked_for() -> bool:
    """Whether the user's own environment asks for offline mode."""
    names = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
    return any(os.environ.get(name, "").upper() in _TRUE for name in names)
