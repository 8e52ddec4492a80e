"""Refuses system calls with seccomp: for the network, other processes, parts of the kernel.

The filter is a program that the kernel runs before each system call. It sees the call's number and
arguments, but nothing that pointers refer to.
"""

from __future__ import annotations

import errno
import os
import struct
import sys
from collections.abc import Iterable
from functools import cache

from lve.named_tuples import NamedTuple
from lve.sandbox.syscalls import (
    ARCHITECTURES,
    ATTRIBUTES,
    GROUP,
    KERNEL,
    LATEST,
    NETWORK,
    OTHER_PROCESSES,
    Architecture,
)

NO_NETWORK = errno.ENETUNREACH
"""The error of `socket`: programs handle it, and nothing else in a sandbox causes it."""

# linux/seccomp.h, linux/prctl.h
_PR_SET_SECCOMP = 22
_MODE_FILTER = 2
_GET_ACTION_AVAIL = 2
_RET_ALLOW = 0x7FFF0000
_RET_ERRNO = 0x00050000
_SYSCALL_SECCOMP = {"x86_64": 317, "aarch64": 277}

# linux/bpf_common.h: opcodes
_LOAD, _AND = 0x20, 0x54
_JUMP_EQUAL, _JUMP_GREATER, _JUMP_ANY_BIT = 0x15, 0x25, 0x45
_RETURN = 0x06

# linux/seccomp.h: offsets in the data that the filter reads
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16

_AF_UNIX, _AF_INET, _AF_INET6, _SOCK_STREAM, _SOCK_TYPE = 1, 2, 10, 1, 0xF
_CLONE_REFUSED = 0x7E020000 | 0x8000  # namespaces; CLONE_PARENT, which makes lve the parent
_CLONE_THREAD, _CLONE_FILES = 0x10000, 0x400
"""A thread shares its files with its process: otherwise lve would have to look at each thread's."""
LISTABLE = 0o500
"""Mode of a folder that its owner may list and enter."""
_FCNTL_REFUSED = (
    *(8, 15, 10),  # F_SETOWN, F_SETOWN_EX, F_SETSIG: have the kernel send signals
    *(1024, 1026),  # F_SETLEASE, F_NOTIFY: make others wait for a file, watch a folder
)
_IOCTLS = (
    *(0x5401, 0x802C542A, 0x5413, 0x540F),  # TCGETS, TCGETS2, TIOCGWINSZ, TIOCGPGRP
    *(0x541B, 0x5411, 0x5421, 0x5450, 0x5451),  # FIONREAD, TIOCOUTQ, FIONBIO, FIONCLEX, FIOCLEX
    *(0x40049409, 0x80086601, 0xC020660B),  # FICLONE, FS_IOC_GETFLAGS, FS_IOC_FIEMAP
    *(0x8910, 0x8912, 0x8913, 0x8915, 0x8919, 0x891B, 0x8921, 0x8927, 0x8933),  # SIOCGIF...
)
"""Allowed requests of `ioctl`, on files, terminals and sockets. Others change files that are open
only for reading (flags, verity, subvolumes), or type into terminals."""
_O_TRUNC, _O_ACCMODE = 0o1000, 3


class Instruction(NamedTuple):
    """One instruction of a filter."""

    code: int
    value: int = 0
    if_true: int = 0
    if_false: int = 0


class Rules(NamedTuple):
    """What a filter refuses in addition to the calls that it always refuses."""

    pid: int
    """The process that gets the filter. It may send itself signals."""
    network: bool = False
    """Whether the network is allowed."""
    signals: bool = True
    """Whether to refuse signals to other processes, if Landlock doesn't."""
    truncation: bool = True
    """Whether to refuse truncating files, if Landlock doesn't."""


def is_available() -> bool:
    """Return whether this system supports filters and lve knows its system calls."""
    if sys.platform != "linux" or struct.calcsize("P") != 8:
        return False
    machine = os.uname().machine
    if machine not in ARCHITECTURES:
        return False
    import ctypes

    action = ctypes.c_uint32(_RET_ERRNO)
    seccomp = _SYSCALL_SECCOMP[machine]
    return bool(ctypes.CDLL(None).syscall(seccomp, _GET_ACTION_AVAIL, 0, ctypes.byref(action)) == 0)


def refuse(rules: Rules) -> None:
    """Refuse system calls from now on, in this process and its children.

    Raises:
        OSError: the kernel refuses the filter.
    """
    install(program(ARCHITECTURES[os.uname().machine], rules))


def install(instructions: Iterable[Instruction]) -> None:
    """Install a filter, which the kernel runs before each system call of this process and its
    children.

    Raises:
        OSError: the kernel refuses the filter.
    """
    import ctypes

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    code = packed(instructions)
    held = ctypes.create_string_buffer(code, len(code))
    kernel_program = Program(len(code) // 8, ctypes.cast(held, ctypes.c_void_p))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(kernel_program), 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"no filter of system calls: {os.strerror(number)}")


def packed(instructions: Iterable[Instruction]) -> bytes:
    """Return instructions in the kernel's binary format."""
    return b"".join(
        struct.pack(
            "=HBBI", instruction.code, instruction.if_true, instruction.if_false, instruction.value
        )
        for instruction in instructions
    )


def program(architecture: Architecture, rules: Rules) -> list[Instruction]:
    """Return the filter for an architecture."""
    instructions = [
        Instruction(_LOAD, _ARCHITECTURE),
        Instruction(_JUMP_EQUAL, architecture.audit, if_true=1),
        _refuse(errno.EPERM),  # 32-bit programs have other numbers
        Instruction(_LOAD, _NUMBER),
        Instruction(_JUMP_GREATER, LATEST, if_false=1),
        _refuse(errno.ENOSYS),  # also the numbers of x32
    ]
    for name, answer in _answers(rules).items():
        number = architecture.numbers.get(name)
        if number is not None:
            instructions.append(Instruction(_JUMP_EQUAL, number, if_false=len(answer)))
            instructions += answer
    return [*instructions, _ALLOW]


_ALLOW = Instruction(_RETURN, _RET_ALLOW)


def _refuse(number: int) -> Instruction:
    return Instruction(_RETURN, _RET_ERRNO | number)


def _answers(rules: Rules) -> dict[str, list[Instruction]]:
    """Return system call -> the instructions that decide about it; other calls are allowed."""
    no = [_refuse(errno.EPERM)]
    never = (*OTHER_PROCESSES, *GROUP, *ATTRIBUTES, *KERNEL)
    decisions = dict.fromkeys(never, no) | _by_arguments()
    if not rules.network:
        refused = [_refuse(NO_NETWORK)]
        decisions |= dict.fromkeys(NETWORK, refused)
        decisions["socket"] = refused
        decisions["sendto"] = [*_unless_zero(4), _refuse(NO_NETWORK)]
    else:  # no unix sockets: they reach other programs on this machine
        decisions["socket"] = [*_argument_in(0, (_AF_INET, _AF_INET6)), _refuse(NO_NETWORK)]
    if rules.signals:
        decisions["kill"] = [*_argument_in(0, (rules.pid, 0, -rules.pid)), *no]
        decisions["tgkill"] = [*_argument_in(0, (rules.pid,)), *no]
        decisions |= dict.fromkeys(
            ("tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal"), no
        )
    if rules.truncation:
        decisions["truncate"] = no
        decisions["open"] = _not_truncating(1)
        decisions["openat"] = _not_truncating(2)
    return decisions


@cache
def _by_arguments() -> dict[str, list[Instruction]]:
    """Return system call -> instructions, for calls that are refused only with some arguments."""
    no = _refuse(errno.EPERM)
    own_process_only = [*_argument_in(0, (0,)), no]
    return {
        # glibc and others then fall back to older calls, whose arguments the filter can see.
        "clone3": [_refuse(errno.ENOSYS)],
        "openat2": [_refuse(errno.ENOSYS)],
        "clone": [
            Instruction(_LOAD, _ARGUMENTS),
            Instruction(_JUMP_ANY_BIT, _CLONE_REFUSED, if_true=2),
            Instruction(_JUMP_ANY_BIT, _CLONE_THREAD, if_false=2),
            Instruction(_JUMP_ANY_BIT, _CLONE_FILES, if_true=1),
            no,
            _ALLOW,
        ],
        # A folder that its owner may not list can't be counted.
        "mkdir": _with_bits(1, LISTABLE),
        "mkdirat": _with_bits(2, LISTABLE),
        "umask": [  # it has no error: such a mask isn't set
            Instruction(_LOAD, _ARGUMENTS),
            Instruction(_JUMP_ANY_BIT, LISTABLE, if_false=1),
            _refuse(0),
            _ALLOW,
        ],
        # A pair of datagram sockets could send to any unix socket on the machine.
        "socketpair": [
            Instruction(_LOAD, _ARGUMENTS),
            Instruction(_JUMP_EQUAL, _AF_UNIX, if_false=4),
            Instruction(_LOAD, _ARGUMENTS + 8),
            Instruction(_AND, _SOCK_TYPE),
            Instruction(_JUMP_EQUAL, _SOCK_STREAM, if_false=1),
            _ALLOW,
            _refuse(NO_NETWORK),
        ],
        "prlimit64": own_process_only,
        "sched_setaffinity": own_process_only,
        "fcntl": _argument_not_in(1, _FCNTL_REFUSED),
        "ioctl": [*_argument_in(1, _IOCTLS), no],
    }


def _argument_in(index: int, values: tuple[int, ...]) -> list[Instruction]:
    """Return instructions that allow the call if an `int` argument is one of `values`."""
    instructions = [Instruction(_LOAD, _ARGUMENTS + 8 * index)]
    for value in values:
        instructions += [Instruction(_JUMP_EQUAL, value & 0xFFFFFFFF, if_false=1), _ALLOW]
    return instructions


def _argument_not_in(index: int, values: tuple[int, ...]) -> list[Instruction]:
    """Return instructions that refuse the call if an `int` argument is one of `values`."""
    instructions = [Instruction(_LOAD, _ARGUMENTS + 8 * index)]
    for value in values:
        instructions += [Instruction(_JUMP_EQUAL, value, if_false=1), _refuse(errno.EPERM)]
    return [*instructions, _ALLOW]


def _with_bits(index: int, bits: int) -> list[Instruction]:
    """Return instructions that allow the call if an argument has all of some bits."""
    return [
        Instruction(_LOAD, _ARGUMENTS + 8 * index),
        Instruction(_AND, bits),
        Instruction(_JUMP_EQUAL, bits, if_false=1),
        _ALLOW,
        _refuse(errno.EPERM),
    ]


def _unless_zero(index: int) -> list[Instruction]:
    """Return instructions that allow the call if a pointer argument is null."""
    place = _ARGUMENTS + 8 * index
    return [
        Instruction(_LOAD, place),
        Instruction(_JUMP_EQUAL, 0, if_false=3),
        Instruction(_LOAD, place + 4),
        Instruction(_JUMP_EQUAL, 0, if_false=1),
        _ALLOW,
    ]


def _not_truncating(index: int) -> list[Instruction]:
    """Return instructions that refuse to truncate a file that is opened for reading.

    Args:
        index: the index of the argument with the flags.
    """
    return [
        Instruction(_LOAD, _ARGUMENTS + 8 * index),
        Instruction(_JUMP_ANY_BIT, _O_TRUNC, if_false=3),
        Instruction(_AND, _O_ACCMODE),
        Instruction(_JUMP_EQUAL, 0, if_false=1),
        _refuse(errno.EACCES),
        _ALLOW,
    ]
