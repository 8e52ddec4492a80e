"""The numbers of system calls, compared with the headers of the system."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lve.sandbox import syscalls
from lve.sandbox.syscalls import ARCHITECTURES

HEADERS = {
    "x86_64": ("x86_64-linux-gnu/asm/unistd_64.h", "asm/unistd_64.h"),
    "aarch64": ("asm-generic/unistd.h",),
}
"""Paths below /usr/include; those of Debian and of others."""
DEFINED = re.compile(r"^#define __NR(?:3264)?_(\w+)\s+(\d+)$", re.MULTILINE)
LISTS = ("OTHER_PROCESSES", "GROUP", "ATTRIBUTES", "KERNEL", "NETWORK")


@pytest.mark.parametrize("machine", HEADERS)
def test_each_number_is_that_of_the_kernel(machine: str) -> None:
    files = [Path("/usr/include", name) for name in HEADERS[machine]]
    header = next((file for file in files if file.exists()), None)
    if header is None:
        pytest.skip("the system has no headers")
    numbers = {name: int(number) for name, number in DEFINED.findall(header.read_text())}
    latest = max(number for name, number in numbers.items() if name not in ("syscalls", "arch"))
    ours = ARCHITECTURES[machine].numbers
    older = {name: number for name, number in ours.items() if name in numbers or number <= latest}
    assert older == {name: numbers.get(name) for name in older}
    # 244 and later are each architecture's own on ARM64; -1 in the table says that it has none.
    missing = {name for names in ARCHITECTURES.values() for name in names.numbers} - ours.keys()
    assert missing & numbers.keys() == set()


@pytest.mark.parametrize("name", LISTS)
def test_what_is_refused_has_a_number(name: str) -> None:
    calls = getattr(syscalls, name)
    assert set(calls) <= ARCHITECTURES["x86_64"].numbers.keys()
    assert len(set(calls)) == len(calls)


def test_those_since_linux_5_have_one_number_everywhere() -> None:
    both = [ARCHITECTURES[machine].numbers for machine in HEADERS]
    for name, number in both[0].items():
        if number >= 424:
            assert both[1][name] == number <= syscalls.LATEST
    assert [ARCHITECTURES[machine].audit & 0xFFFF for machine in HEADERS] == [62, 183]
    assert {ARCHITECTURES[machine].audit >> 16 for machine in HEADERS} == {0xC000}
