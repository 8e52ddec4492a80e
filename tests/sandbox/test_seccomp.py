"""The filter of system calls, run here for both processors as the kernel runs it."""

from __future__ import annotations

import errno
import sys
from collections.abc import Sequence

import pytest

from lve.sandbox.seccomp import Instruction, Rules, install, program
from lve.sandbox.syscalls import ARCHITECTURES, ATTRIBUTES, GROUP, KERNEL, LATEST, OTHER_PROCESSES

PID = 4321
RULES = Rules(PID, signals=False, truncation=False)
OLD = Rules(PID)
ONLINE = Rules(PID, network=True)
NO, UNKNOWN, OFFLINE = errno.EPERM, errno.ENOSYS, errno.ENETUNREACH
Case = tuple[str, Sequence[int], int, Rules]


def run(filter_: Sequence[Instruction], number: int, audit: int, arguments: Sequence[int]) -> int:
    """Return the error number that a filter answers a system call with; 0: it is allowed."""
    words = {0: number, 4: audit}
    for index, value in enumerate((*arguments, *(0,) * 6)[:6]):
        words[16 + 8 * index] = value & 0xFFFFFFFF
        words[20 + 8 * index] = value >> 32 & 0xFFFFFFFF
    place = accumulator = 0
    while True:
        code, value, if_true, if_false = filter_[place]
        place += 1
        if code == 0x06:
            return 0 if value == 0x7FFF0000 else value & 0xFFFF
        if code == 0x20:
            accumulator = words[value]
        elif code == 0x54:
            accumulator &= value
        else:
            holds = {0x15: accumulator == value, 0x25: accumulator > value}
            place += if_true if holds.get(code, accumulator & value) else if_false


CASES: list[Case] = [
    ("socket", (1,), OFFLINE, RULES),
    ("socket", (2,), OFFLINE, RULES),
    ("socket", (2,), 0, ONLINE),
    ("socket", (10,), 0, ONLINE),
    ("socket", (1,), OFFLINE, ONLINE),
    ("socket", (16,), OFFLINE, ONLINE),
    ("connect", (3,), OFFLINE, RULES),
    ("connect", (3,), 0, ONLINE),
    ("sendto", (3, 0, 0, 0, 0), 0, RULES),
    ("sendto", (3, 0, 0, 0, 5), OFFLINE, RULES),
    ("sendto", (3, 0, 0, 0, 5 << 32), OFFLINE, RULES),
    ("socketpair", (1, 1), 0, RULES),
    ("socketpair", (1, 1 | 0o2004000), 0, RULES),
    ("socketpair", (1, 2), OFFLINE, RULES),
    ("socketpair", (2, 1), OFFLINE, RULES),
    ("clone", (0x003D0F00,), 0, RULES),
    ("clone", (0x00010F00 & ~0x400,), NO, RULES),
    ("clone", (0x00000F00 & ~0x400,), 0, RULES),
    ("mkdir", (0, 0o777), 0, RULES),
    ("mkdir", (0, 0o500), 0, RULES),
    ("mkdir", (0, 0o377), NO, RULES),
    ("mkdir", (0, 0o400), NO, RULES),
    ("mkdirat", (3, 0, 0o700), 0, RULES),
    ("mkdirat", (3, 0, 0o277), NO, RULES),
    ("umask", (0o077,), 0, RULES),
    ("clone", (0x10000011,), NO, RULES),
    ("clone", (0x00020011,), NO, RULES),
    ("clone", (0x00008011,), NO, RULES),
    ("clone3", (), UNKNOWN, RULES),
    ("openat2", (), UNKNOWN, RULES),
    ("prlimit64", (0,), 0, RULES),
    ("prlimit64", (1,), NO, RULES),
    ("fcntl", (3, 4), 0, RULES),
    ("fcntl", (3, 8), NO, RULES),
    ("fcntl", (3, 1024), NO, RULES),
    ("fcntl", (3, 1026), NO, RULES),
    ("ioctl", (3, 0x5401), 0, RULES),
    ("ioctl", (3, 0x8933), 0, ONLINE),
    ("ioctl", (3, 0x5412), NO, RULES),
    ("ioctl", (3, 0x8901), NO, ONLINE),
    ("ioctl", (3, 0x5000940E), NO, RULES),
    ("kill", (1, 9), 0, RULES),
    ("kill", (1, 9), NO, OLD),
    ("kill", (-1, 9), NO, OLD),
    ("kill", (PID, 9), 0, OLD),
    ("kill", (0, 9), 0, OLD),
    ("kill", (-PID, 9), 0, OLD),
    ("tgkill", (PID, 7, 9), 0, OLD),
    ("tgkill", (1, PID, 9), NO, OLD),
    ("tkill", (PID, 9), NO, OLD),
    ("truncate", (), NO, OLD),
    ("truncate", (), 0, RULES),
    ("openat", (0, 0, 0o1000), errno.EACCES, OLD),
    ("openat", (0, 0, 0o1001), 0, OLD),
    ("openat", (0, 0, 0o100), 0, OLD),
]


@pytest.mark.parametrize("machine", ARCHITECTURES)
@pytest.mark.parametrize(("name", "arguments", "expected", "rules"), CASES)
def test_arguments_decide(
    machine: str, name: str, arguments: Sequence[int], expected: int, rules: Rules
) -> None:
    audit, numbers = ARCHITECTURES[machine]
    if name not in numbers:
        pytest.skip("this processor has no such call")
    filter_ = program(ARCHITECTURES[machine], rules)
    assert run(filter_, numbers[name], audit, arguments) == expected


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_what_no_checker_needs_is_always_refused(machine: str) -> None:
    audit, numbers = ARCHITECTURES[machine]
    names = {*OTHER_PROCESSES, *GROUP, *ATTRIBUTES, *KERNEL}
    assert names <= {*ARCHITECTURES["x86_64"].numbers, *ARCHITECTURES["aarch64"].numbers}
    for rules in (RULES, OLD, ONLINE):
        filter_ = program(ARCHITECTURES[machine], rules)
        found = {name: run(filter_, numbers[name], audit, ()) for name in names & numbers.keys()}
        assert set(found.values()) == {NO}, found


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_other_numbers_are_refused(machine: str) -> None:
    audit, filter_ = ARCHITECTURES[machine].audit, program(ARCHITECTURES[machine], RULES)
    read = {"x86_64": 0, "aarch64": 63}[machine]
    assert run(filter_, read, audit, ()) == 0
    assert run(filter_, LATEST + 1, audit, ()) == UNKNOWN
    assert run(filter_, read | 0x40000000, audit, ()) == UNKNOWN, "x32"
    assert run(filter_, read, 0x40000003, ()) == NO, "32-bit programs"


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's filters are Linux'")
def test_a_filter_that_the_kernel_refuses_is_an_error() -> None:
    """Nobody may believe that calls are refused if they aren't."""
    with pytest.raises(OSError, match="no filter of system calls: "):
        install([])  # no filter has no instructions
