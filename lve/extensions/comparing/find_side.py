"""Finds the sides of `lve compare`: sessions, baselines, recorded instances, variants of prompts
(`prompts` of a test), paired by row.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

from lve.comparison.baseline import read_baseline
from lve.comparison.session_side import SessionSide
from lve.comparison.side import REVISION_PREFIX, Hash, Row, Side, SideFacts, stable_hash
from lve.errors import NoSessionError, SessionError, UsageError
from lve.escape import listed
from lve.extension_table import extension_part
from lve.named_tuples import NamedTuple
from lve.sessions.instance_result import REPLAY, InstanceResult
from lve.sessions.session_file import INFO_FILE
from lve.sessions.session_folder import SessionFolder
from lve.spec.prompt_sources import variants_of
from lve.workspace import Workspace, display_path

LATEST = ("last~1", "last")
"""What is compared unless the user says otherwise. `last~1` is the session before the last one that
has a test in common with it."""
MAX_PASSED_OVER = 100
"""Most sessions in which a common test is looked for."""


@runtime_checkable
class Replayable(Protocol):
    """A side whose results can be compared with those of a session of `replay`."""

    def as_replayed(self) -> Side:
        """Change the model of all results to `replay`."""


def find_sides(
    names: tuple[str, str],
    workspace: Workspace,
    session_dir: Path,
    *,
    warn: Callable[[str], None],
) -> tuple[Side, Side]:
    """Return both sides of a comparison. Arguments and errors as for `find_side`."""
    sides = [find_side(name, workspace, session_dir, warn=warn) for name in names]
    if names == LATEST:
        with suppress(SessionError):  # none has: the message names the latest two
            sides[0] = _related(sides, workspace, session_dir, warn)
    for side, other in (sides, sides[::-1]):
        # Recorded instances leave out handwritten answers, so they can be compared with `replay`.
        if isinstance(side, Replayable) and other.facts.models == (REPLAY,):
            side.as_replayed()
    return sides[0], sides[1]


def _related(
    sides: list[Side], workspace: Workspace, session_dir: Path, warn: Callable[[str], None]
) -> Side:
    """Return the latest session before the last one that has a test in common with it: between
    two runs of the same tests, people run others.

    Raises:
        NoSessionError: there is none.
    """
    before, now = sides
    for number in range(2, MAX_PASSED_OVER):
        if not before.facts.sums.keys().isdisjoint(now.facts.sums):
            break
        before = find_side(f"last~{number}", workspace, session_dir, warn=warn)
    return before


def find_side(
    name: str, workspace: Workspace, session_dir: Path, *, warn: Callable[[str], None]
) -> Side:
    """Return one side of a comparison.

    Args:
        name: `last`, `last~1`, a session's id or the beginning of one; the folder of a session; the
            file of a baseline; `git:` and a revision.
        workspace: the workspace.
        session_dir: the folder of sessions.
        warn: called with a message about data that can't be read.

    Raises:
        LveError: it doesn't exist, or can't be read.
    """
    if name.startswith(REVISION_PREFIX):
        recorded_side = extension_part("recorded instances")
        return cast(Side, recorded_side(name.removeprefix(REVISION_PREFIX), workspace, warn=warn))
    place = Path(name)
    if place.suffix == ".json" or place.is_file():
        return read_baseline(place)
    if place.is_dir():
        if not (place / INFO_FILE).exists():
            raise SessionError(
                f"{display_path(place)} is no session: it has no {INFO_FILE}. "
                "`lve session list` lists what can be compared",
                code="not_a_session",
            )
        return SessionSide(SessionFolder(place), warn=warn)
    try:
        folder = SessionFolder.find(session_dir, name, warn=warn)
    except NoSessionError as error:
        raise NoSessionError(f"{error}; a baseline is named by its file (*.json)") from None
    return SessionSide(folder, warn=warn)


class VariantPair(NamedTuple):
    """Two variants of a test that are compared."""

    test: str
    """The test's path, without the name of a variant."""
    before: str
    now: str

    @property
    def name(self) -> str:
        """The name of the pair in the comparison, where the test's path stands otherwise."""
        return f"{self.test} ({self.before} → {self.now})"


class VariantSide:
    """The results of one variant of each pair, under the pair's name."""

    def __init__(self, side: Side, pairs: Sequence[VariantPair], *, is_before: bool) -> None:
        """Args:
        side: has the results of all variants.
        pairs: what is compared.
        is_before: whether this is the side of `VariantPair.before`.
        """
        self._side = side
        self._names: dict[str, list[str]] = {}
        for pair in pairs:
            variant = pair.before if is_before else pair.now
            self._names.setdefault(f"{pair.test}@{variant}", []).append(pair.name)
        self.facts: SideFacts = self._renamed(side.facts)

    def rows(self, hash_of: Hash = stable_hash) -> Iterator[Row]:
        """Yield the results of the variants."""
        for row in self._side.rows(hash_of):
            for name in self._names.get(row.test, ()):
                yield row._replace(test=name)

    def result(self, where: int) -> InstanceResult | None:
        """Return a whole result."""
        return self._side.result(where)

    def _renamed(self, facts: SideFacts) -> SideFacts:
        sums = {
            name: facts.sums[test]
            for test, names in self._names.items()
            if test in facts.sums
            for name in names
        }
        earlier = {
            (name, model): replace(of, sums={name: of.sums.get(test, {})})
            for (test, model), of in facts.earlier.items()
            for name in self._names.get(test, ())
        }
        return replace(facts, sums=sums, earlier=earlier)


def variant_sides(
    before: Side, now: Side, chosen: tuple[str, str] | None
) -> tuple[VariantSide, VariantSide]:
    """Return the variants of two sides as sides of a comparison.

    Args:
        before: the earlier side; it may be the same as `now`.
        now: the later side.
        chosen: compare this variant with that one; None: the first of each test with each other.

    Raises:
        UsageError: there is nothing to compare.
    """
    variants = variants_of((*before.facts.sums, *now.facts.sums))
    tests = {f"{test}@{name}" for test, names in variants.items() for name in names}
    tests -= _folders(before, tests) | _folders(now, tests)
    earlier, later = (_present(variants, tests & side.facts.sums.keys()) for side in (before, now))
    pairs = [
        pair
        for test, variants in earlier.items()
        for pair in _pairs(test, variants, later.get(test, ()), chosen)
    ]
    if not pairs:
        raise UsageError(_why_none(earlier, later, chosen), code="nothing_to_compare")
    return (
        VariantSide(before, pairs, is_before=True),
        VariantSide(now, pairs, is_before=False),
    )


def _folders(side: Side, tests: Collection[str]) -> set[str]:
    """Return those of the tests that are no variants, but folders with such names: their results
    name no variant. A baseline doesn't say."""
    is_variant: dict[str, bool] = {}
    for row in side.rows() if tests else ():
        if row.test in tests and row.test not in is_variant:
            result = side.result(row.where)
            is_variant[row.test] = result is None or result.variant is not None
            if len(is_variant) == len(tests):
                break
    return {test for test, is_one in is_variant.items() if not is_one}


def _present(
    variants: Mapping[str, Sequence[str]], tests: Collection[str]
) -> Mapping[str, Sequence[str]]:
    present = {
        test: [name for name in names if f"{test}@{name}" in tests]
        for test, names in variants.items()
    }
    return {test: names for test, names in present.items() if names}


def _pairs(
    test: str, before: Sequence[str], now: Sequence[str], chosen: tuple[str, str] | None
) -> Iterator[VariantPair]:
    if chosen is not None:
        if chosen[0] in before and chosen[1] in now:
            yield VariantPair(test, *chosen)
        return
    for name in now:
        if name != before[0]:
            yield VariantPair(test, before[0], name)


def _why_none(
    before: Mapping[str, Sequence[str]],
    now: Mapping[str, Sequence[str]],
    chosen: tuple[str, str] | None,
) -> str:
    names = {name: None for side in (before, now) for all_ in side.values() for name in all_}
    if not names:
        return (
            "no test ran with two variants there: give it `prompts: {NAME: PROMPT, ...}`, and run "
            "them all (no --prompts)"
        )
    if chosen is None:
        return f"only one variant has run ({listed(names)}): run the others, too"
    return f"no test has both variants, {chosen[0]} and {chosen[1]}: there are {listed(names)}"
