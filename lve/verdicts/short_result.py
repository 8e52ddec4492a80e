"""The short form of a result, for lists of failed or changed instances."""

from __future__ import annotations

from itertools import islice

from lve.checkers.contract import Outcome
from lve.data.row_places import place_of_row
from lve.escape import one_line
from lve.named_tuples import NamedTuple
from lve.sessions.instance_result import InstanceResult
from lve.spec.model_arg_names import KNOWN_MODEL_ARGS

SHOWN_ARGS, SHOWN_WIDTH = 2, 40
"""Args of a row that tell people which it is, and columns that each takes at most."""


class ShortResult(NamedTuple):
    """A result with the beginning of its args, and without transcripts."""

    source: str
    line: int
    repeat: int
    verdict: Outcome
    reason: str
    recorded: str | None = None
    inputs: str = ""
    """What tells the row from others: `name=Chloé, city=Paris`."""

    @classmethod
    def of(cls, result: InstanceResult) -> ShortResult:
        """Return the short form of a result."""
        named = (
            one_line(f"{name}={value}", SHOWN_WIDTH)
            for name, value in result.args.items()
            if name not in KNOWN_MODEL_ARGS and isinstance(value, str | int | float)
        )
        inputs = ", ".join(islice(named, SHOWN_ARGS))
        return cls(*cls.order(result), result.verdict, result.reason, result.recorded, inputs)

    @staticmethod
    def order(result: InstanceResult | ShortResult) -> tuple[str, int, int]:
        """Return what results are sorted by: the order of their rows."""
        return result.source, result.line, result.repeat

    @property
    def place(self) -> str:
        """The instance, such as `instances/x.jsonl:3`, with the repeat if it isn't the first."""
        return place_of_row(self.source, self.line) + self._repeat

    @property
    def row(self) -> str:
        """The same for people: `test.yaml row 3 (name=Chloé)`."""
        place = place_of_row(self.source, self.line)
        return f"{place}{self.inputs and f' ({self.inputs})'}{self._repeat}"

    @property
    def _repeat(self) -> str:
        return f" (repeat {self.repeat + 1})" if self.repeat else ""
