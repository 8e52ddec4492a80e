"""Counts the rows of a test, and the clusters if its pass rate counts clusters."""

from __future__ import annotations

from collections.abc import Iterable

from lve.data_classes import dataclass, field
from lve.escape import escape_line
from lve.plurals import amount
from lve.spec.spec import Instance, Spec
from lve.verdicts.rates.population import MAX_CLUSTERS, cluster_of


@dataclass(slots=True)
class RowCount:
    """How many instances a test has, and how many clusters, if its pass rate counts clusters."""

    instances: int = 0
    rows: int = 0
    """Without the repeats among recorded answers."""
    column: str | None = None
    """The column whose values make the clusters; None: each instance counts."""
    clusters: set[int] = field(default_factory=set)
    counts_rows: bool = False
    """Whether repeats of a row say nothing more."""

    @classmethod
    def of(cls, spec: Spec, instances: Iterable[object] = ()) -> RowCount:
        """Return the size of a test.

        Args:
            spec: the test.
            instances: its instances; anything else in it is ignored.
        """
        expect = spec.expect
        size = cls(column=expect.cluster if expect.claim == "population" else None)
        size.counts_rows = expect.claim == "population" or expect.has_alike_repeats
        size.add_enough(instances, None)
        return size

    def add_enough(self, instances: Iterable[object], enough: int | None) -> None:
        """Count instances, until there are enough independent results; None: count all."""
        rest = iter(instances)
        while enough is None or self.units < enough:
            instance = next(rest, self)
            if instance is self:
                return
            if isinstance(instance, Instance):
                self.add(instance)

    def add(self, instance: Instance) -> None:
        """Count an instance."""
        self.instances += 1
        self.rows += not instance.repeat
        if self.column is not None and len(self.clusters) < MAX_CLUSTERS:
            self.clusters.add(cluster_of(instance.args, self.column))

    @property
    def units(self) -> int:
        """Number of independent results from one repeat."""
        rows = self.rows if self.counts_rows else self.instances
        return rows if self.column is None else len(self.clusters)

    @property
    def noun(self) -> str:
        """The name of what is counted."""
        return "row" if self.column is None else "cluster"

    def __str__(self) -> str:
        by = "" if self.column is None else f" by {escape_line(self.column)}"
        return f"{amount(self.units, self.noun)}{by}"
