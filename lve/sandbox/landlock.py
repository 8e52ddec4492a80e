"""Restricts a process to some files and folders with Landlock."""

from __future__ import annotations

import os
import stat
import struct
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from lve.named_tuples import NamedTuple

if TYPE_CHECKING:
    import ctypes

# linux/landlock.h: access rights
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REMOVE, _MAKE_DIR, _MAKE_REG, _MAKE_FIFO, _MAKE_SYM = 0b11 << 4, 1 << 7, 1 << 8, 1 << 10, 1 << 12
_MAKE_DEVICES_AND_SOCKETS = 1 << 6 | 1 << 9 | 1 << 11
_MAKE = _MAKE_DIR | _MAKE_REG | _MAKE_FIFO | _MAKE_SYM
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | _TRUNCATE | _IOCTL_DEV
READ = READ_FILE | READ_DIR
RUN = READ | EXECUTE
WRITE = RUN | WRITE_FILE | _REMOVE | _MAKE | _REFER | _TRUNCATE
_NETWORK = 0b11  # binding and connecting TCP sockets
_SCOPES = 0b11  # abstract unix sockets, signals

TRUNCATES_SINCE, NETWORK_SINCE, SCOPES_SINCE = 3, 4, 6
"""First versions (ABI) that can restrict truncating files, TCP, and signals to other processes."""
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # on all processors
_PATH_BENEATH = 1
_VERSION = 1


class Grant(NamedTuple):
    """Access rights to a file, or to a folder and everything below it."""

    path: str
    rights: int


def version() -> int:
    """Return the version of Landlock (its ABI) on this system, 0 if there is none."""
    if sys.platform != "linux":
        return 0
    import ctypes

    abi: int = _libc().syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION)
    return max(0, abi)


def restrict(grants: Iterable[Grant], *, abi: int, network: bool) -> None:
    """Deny this process and its children all access to files except `grants`, permanently.

    The process must have `no_new_privs` and a single thread. Missing files are skipped.

    Args:
        grants: the allowed files and folders.
        abi: the version of Landlock to use, at least 1.
        network: whether TCP is allowed.

    Raises:
        OSError: the kernel refuses.
    """
    files = _rights_of(abi)
    tcp = 0 if network or abi < NETWORK_SINCE else _NETWORK
    fields = (files, tcp, _SCOPES if abi >= SCOPES_SINCE else 0)
    field_count = 1 + (abi >= NETWORK_SINCE) + (abi >= SCOPES_SINCE)
    ruleset = _new_ruleset(struct.pack(f"={field_count}Q", *fields[:field_count]))
    libc = _libc()
    try:
        for grant in grants:
            with suppress(OSError):
                _grant(libc, ruleset, grant, files)
        _checked(libc.syscall(_RESTRICT_SELF, ruleset, 0))
    finally:
        os.close(ruleset)


def _new_ruleset(attributes: bytes) -> int:
    import ctypes

    size = ctypes.c_size_t(len(attributes))
    return _checked(_libc().syscall(_CREATE_RULESET, attributes, size, 0))


def _rights_of(abi: int) -> int:
    """Return all access rights that a version handles."""
    rights = RUN | WRITE_FILE | _REMOVE | _MAKE | _MAKE_DEVICES_AND_SOCKETS
    for since, right in ((2, _REFER), (TRUNCATES_SINCE, _TRUNCATE), (5, _IOCTL_DEV)):
        if abi >= since:
            rights |= right
    return rights


def _grant(libc: ctypes.CDLL, ruleset: int, grant: Grant, supported: int) -> None:
    place = os.open(grant.path, os.O_PATH | os.O_CLOEXEC)
    try:
        rights = grant.rights & supported
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= _OF_FILES
        rule = struct.pack("=Qi", rights, place)
        _checked(libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0))
    finally:
        os.close(place)


def _libc() -> ctypes.CDLL:
    import ctypes

    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int) -> int:
    if result < 0:
        import ctypes

        number = ctypes.get_errno()
        raise OSError(number, f"Landlock: {os.strerror(number)}")
    return result
