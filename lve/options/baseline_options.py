"""The options of a run that is compared with a baseline. See `lve.run_options`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lve.options.model_options import ModelOptions
from lve.options.option import RUN_AND_PYTEST, Option, option
from lve.options.values import FLAG, GATE, INDEX, PATH


@dataclass(init=False, repr=False, eq=False, frozen=True, slots=True)
class BaselineOptions(ModelOptions):
    """How a run is compared with a baseline. A base class of `RunOptions`, as `ModelOptions` is."""

    baseline: Path | None = option(  # noqa: RUF009 (it is a field)
        None,
        Option(
            PATH,
            "Compare the results with this baseline; a regression fails the run.",
            RUN_AND_PYTEST,
            "not_stored",  # a question of the current invocation
            metavar="FILE",
            python_type="str | Path | None",
        ),
    )
    gate: str | None = option(
        None,
        Option(
            GATE,
            "What is a regression: significant, any (a result that broke), or auto.",
            RUN_AND_PYTEST,
            "kept",
            default_text="that of lve.yaml, or auto",
        ),
    )
    max_broken: int | None = option(
        None,
        Option(
            INDEX,
            "How many results may break before it is a regression.",
            RUN_AND_PYTEST,
            "kept",
            default_text="as --gate says",
        ),
    )
    allow_missing: bool = option(
        False,
        Option(
            FLAG,
            "Let results of the baseline be missing, or without a verdict.",
            RUN_AND_PYTEST,
            "not_stored",
        ),
    )

    @property
    def names_two_gates(self) -> bool:
        """Whether both `gate` and `max_broken` are chosen, which is an error."""
        return self.gate is not None and self.max_broken is not None
