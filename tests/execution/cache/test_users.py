"""Processes that use one cache file: which of them may ask for a key."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.caches import key_of

from lve.execution.cache.users import CacheUsers, place_of

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX locks")
OTHER = """
import sys
from pathlib import Path
from lve.execution.cache.users import CacheUsers
users = CacheUsers(Path(sys.argv[1]))
for line in sys.stdin:
    print(eval(line), flush=True)
"""


class Other:
    """Another process that uses the cache."""

    def __init__(self, cache: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", OTHER, str(cache)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def says(self, expression: str) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(expression + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def claims(self, number: int) -> bool:
        return self.says(f"users.claim({key_of(number)!r})") == "True"

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Other]:
    process = Other(tmp_path / "cache.db")
    yield process
    process.end()


def test_who_was_there_first_keeps_what_it_asks_for(tmp_path: Path) -> None:
    users = CacheUsers(tmp_path / "cache.db")
    assert users.is_alone
    assert users.look(())
    other = Other(tmp_path / "cache.db")
    try:
        assert other.says("users.is_alone") == "False"
        assert not other.claims(1), "all keys are the first one's until it looks"
        assert not users.look([key_of(1), key_of(2)])
        assert not other.claims(1)
        assert not other.claims(2)
        assert other.claims(3)
        assert not users.claim(key_of(3))
        users.release(key_of(1))
        assert other.claims(1)
        assert other.says(f"users.release({key_of(3)!r})") == "None"
        assert users.claim(key_of(3))
    finally:
        other.end()
    assert users.claim(key_of(1)), "a killed process claims nothing any more"
    users.close()


def test_one_that_comes_between_two_claims_is_not_alone(tmp_path: Path, other: Other) -> None:
    assert other.says("users.is_alone") == "True"
    users = CacheUsers(tmp_path / "cache.db")
    assert not users.is_alone
    assert other.says("users.look(())") == "False"
    third = Other(tmp_path / "cache.db")
    try:
        assert third.says("users.is_alone") == "False", "nobody has a key, but two are there"
        assert third.claims(1)
        assert not users.claim(key_of(1))
    finally:
        third.end()
        users.close()


def test_one_that_gives_nothing_up_is_passed_by(tmp_path: Path, other: Other) -> None:
    assert other.says("users.is_alone") == "True"
    first, second = CacheUsers(tmp_path / "cache.db"), Other(tmp_path / "cache.db")
    try:
        assert not first.claim(key_of(1))
        assert first.pass_by()
        assert first.claim(key_of(1))
        assert second.says("users.pass_by()") == "True"
        assert not second.claims(1), "those that pass it by still see each other"
        first.release(key_of(1))
        assert second.claims(1)
    finally:
        second.end()
        first.close()


def test_one_that_has_given_up_its_keys_is_not_passed_by(tmp_path: Path, other: Other) -> None:
    assert other.says("users.is_alone") == "True"
    users = CacheUsers(tmp_path / "cache.db")
    other.says("users.look(())")
    assert other.claims(1)
    assert not users.pass_by()
    assert not users.claim(key_of(1))
    users.close()


def test_the_file_is_private_and_no_link_is_followed(tmp_path: Path) -> None:
    CacheUsers(tmp_path / "cache.db").close()
    assert (tmp_path / "cache.db-users").stat().st_mode & 0o077 == 0
    (tmp_path / "other.db-users").symlink_to(tmp_path / "target")
    with pytest.raises(OSError, match="link"):
        CacheUsers(tmp_path / "other.db")


def test_keys_have_different_bytes() -> None:
    assert len({place_of(key_of(number)) for number in range(1000)}) == 1000
