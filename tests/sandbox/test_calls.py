"""The filter of system calls for each machine and each set of rules, and what is granted."""

from __future__ import annotations

import sys
from unittest.mock import patch

import pytest
from support.recorded_calls import Calls, changed, grid, record

from lve.sandbox import grants
from lve.sandbox.landlock import READ, READ_DIR, RUN, WRITE, WRITE_FILE
from lve.sandbox.rights import Sandbox
from lve.sandbox.seccomp import ARCHITECTURES, Rules, packed, program

BOOLS = (False, True)
RULES = [Rules(7, net, signals, not signals) for net in BOOLS for signals in BOOLS]
SETTINGS = {
    "nothing": Sandbox(),
    "network": Sandbox(network=True),
    "read": Sandbox(read=("/r",)),
    "write": Sandbox(write=("/w",)),
}


def filter_of(machine: str, rules: Rules) -> list[tuple[int, ...]]:
    return [tuple(instruction) for instruction in program(ARCHITECTURES[machine], rules)]


def bytes_of(machine: str) -> str:
    return packed(program(ARCHITECTURES[machine], RULES[0])[:8]).hex()


def granted(setting: str, temporary: str | None) -> list[tuple[object, ...]]:
    """Return what is granted beside what this machine's Python needs."""
    with patch.object(grants, "_python", return_value=iter(())):
        return [tuple(grant) for grant in grants.grants(SETTINGS[setting], temporary)]


def contains(folder: str, *protected: str) -> bool:
    return grants._contains_any(folder, protected)


def all_calls() -> Calls:
    return {
        **grid(filter_of, sorted(ARCHITECTURES), RULES),
        **grid(bytes_of, sorted(ARCHITECTURES)),
        **grid(granted, SETTINGS, (None, "/t")),
        **grid(contains, ("/a", "/a/", "/ab", "/"), ("/a", "/a/b", "/b")),
        "rights": str([READ, READ_DIR, RUN, WRITE, WRITE_FILE]),
    }


@pytest.mark.skipif(sys.platform != "linux", reason="errors have other numbers elsewhere")
def test_each_call_returns_what_is_recorded() -> None:
    assert changed("sandbox", all_calls()) == {}


if __name__ == "__main__":
    record("sandbox", all_calls())
