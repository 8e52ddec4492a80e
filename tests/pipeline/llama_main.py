"""Becomes llama.cpp's server, with the library in the folder `LLAMA_CPP_LIB_PATH`.

npm's library has a file per kind of processor, and a program must load the right one. The Python
package doesn't: it is made for a library in one piece.
"""

from __future__ import annotations

import ctypes
import os
import runpy
from pathlib import Path


def _prepare(folder: Path) -> None:
    """Give the libraries the names that the package looks for, and load what fits the processor."""
    for name in ("libllama", "libggml"):
        link = folder / f"{name}.so"
        if not link.exists():
            [library] = folder.glob(f"{name}.*.so")
            link.symlink_to(library.name)
    load = ctypes.CDLL(str(folder / "libggml.so")).ggml_backend_load_all_from_path
    load.argtypes = [ctypes.c_char_p]
    load.restype = None
    load(os.fsencode(folder))


_prepare(Path(os.environ["LLAMA_CPP_LIB_PATH"]))
runpy.run_module("llama_cpp.server", run_name="__main__")
