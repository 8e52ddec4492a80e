"""The value of `--shard`."""

from __future__ import annotations

import pytest

from lve.options.shard_number import MAX_SHARDS, Shard, parse_shard


@pytest.mark.parametrize("text", ["1/1", "3/8", "8/8", f"1/{MAX_SHARDS}"])
def test_a_shard_is_read_and_written_in_the_same_way(text: str) -> None:
    assert str(parse_shard(text)) == text


def test_a_shard_has_a_number_and_a_total() -> None:
    assert parse_shard("3/8") == Shard(3, 8)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "such as 3/8"),
        ("3", "such as 3/8"),
        ("a/b", "such as 3/8"),
        ("-1/2", "such as 3/8"),
        ("1/2\n", "such as 3/8"),
        ("0/2", "no such part"),
        ("3/2", "no such part"),
        ("1/0", "no such part"),
        (f"1/{MAX_SHARDS + 1}", "up to 10,000"),
    ],
)
def test_what_is_no_shard_is_refused_with_the_reason(text: str, told: str) -> None:
    with pytest.raises(ValueError) as error:
        parse_shard(text)
    assert told in str(error.value)
