"""The table of costs in benchmarks/README.md: read, written, compared."""

from __future__ import annotations

import re

BEGIN, END = "<!-- held: begin -->\n", "<!-- held: end -->\n"
HEAD = "| what | times `import click` |\n| --- | ---: |\n"
ROW = re.compile(r"^\| (?P<name>[^|]+) \| (?P<cost>[0-9.]+) \|$", re.MULTILINE)
MARGIN = 1.02


def held(text: str) -> dict[str, float]:
    """Return what the page says: name -> multiple of `import click`.

    Raises:
        ValueError: the page has no table.
    """
    _, begin, rest = text.partition(BEGIN)
    table, end, _ = rest.partition(END)
    costs = {match["name"]: float(match["cost"]) for match in ROW.finditer(table)}
    if not begin or not end or not costs:
        raise ValueError(f"no table of what is held between {BEGIN!r} and {END!r}")
    return costs


def written(text: str, costs: dict[str, float]) -> str:
    """Return the page with a new table."""
    before, begin, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    rows = "".join(f"| {name} | {cost:.4g} |\n" for name, cost in costs.items())
    return f"{before}{begin}{HEAD}{rows}{END}{after}"


def dearer(measured: dict[str, float], costs: dict[str, float]) -> list[str]:
    """Return a line for each cost above what is held, or not held at all."""
    return [
        f"{name}: {cost:.4g} times `import click`, held: {costs.get(name, 'nothing')}"
        for name, cost in measured.items()
        if name not in costs or cost > costs[name] * MARGIN
    ]
