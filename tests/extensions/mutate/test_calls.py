"""What each change makes of answers of each form, word for word."""

from __future__ import annotations

from support.recorded_calls import Calls, changed, grid, record, texts

from lve.extensions.mutate import changes


def all_calls() -> Calls:
    names = [*changes.CHANGES]
    return {
        **grid(changes.changed, names, texts("mutate")["answers"]),
        **grid(changes.change_in_words, names),
    }


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("mutate", all_calls()) == {}


if __name__ == "__main__":
    record("mutate", all_calls())
