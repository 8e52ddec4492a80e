"""A file system without locks, as some network file systems are: the C library's functions fail
with ENOLCK below a folder."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_below(int fd) {
    char link[64], path[4096];
    const char *folder = getenv("NO_LOCKS_BELOW");
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (!folder || length < 0) return 0;
    path[length] = 0;
    return strncmp(path, folder, strlen(folder)) == 0;
}

static int locked(const char *name, int fd, int command, void *argument) {
    int (*real)(int, int, ...) = (int (*)(int, int, ...))dlsym(RTLD_NEXT, name);
    int is_lock = command == F_SETLK || command == F_SETLKW || command == F_GETLK
        || command == F_OFD_SETLK || command == F_OFD_SETLKW || command == F_OFD_GETLK;
    if (is_lock && is_below(fd)) { errno = ENOLCK; return -1; }
    return real(fd, command, argument);
}

int fcntl(int fd, int command, ...) {
    va_list more; va_start(more, command);
    void *argument = va_arg(more, void *); va_end(more);
    return locked("fcntl", fd, command, argument);
}

int fcntl64(int fd, int command, ...) {
    va_list more; va_start(more, command);
    void *argument = va_arg(more, void *); va_end(more);
    return locked("fcntl64", fd, command, argument);
}

int flock(int fd, int operation) {
    int (*real)(int, int) = (int (*)(int, int))dlsym(RTLD_NEXT, "flock");
    if (is_below(fd)) { errno = ENOLCK; return -1; }
    return real(fd, operation);
}
"""


@cache
def library(folder: Path) -> Path:
    """Return the library, built in a folder; skip the test where there is no compiler."""
    compiler = shutil.which("cc")
    if compiler is None or not os.path.isdir("/proc/self/fd"):  # noqa: PTH112
        pytest.skip("needs a C compiler and Linux")
    source, built = folder / "no_locks.c", folder / "no_locks.so"
    source.write_text(SOURCE)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", built, source, "-ldl"], check=True)
    return built


def without_locks(folder: Path, built_in: Path) -> dict[str, str]:
    """Return the environment of a process for which there are no locks below a folder."""
    return {
        **os.environ,
        "LD_PRELOAD": str(library(built_in)),
        "NO_LOCKS_BELOW": str(folder.resolve()),
    }
