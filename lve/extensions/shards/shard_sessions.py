"""Reads the sessions of a run's shards, and checks that they belong together and are complete."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from lve.data.row_places import place_of_row
from lve.errors import SessionError, UsageError
from lve.escape import first_names
from lve.json_types import JsonObject
from lve.named_tuples import NamedTuple
from lve.options.run_options import OPTIONS
from lve.options.shard_number import Shard, parse_shard
from lve.sessions.instance_result import ResultId
from lve.sessions.join_parts import Part
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_info import SessionInfo
from lve.sessions.session_tests import TESTS_FILE, read_tests

_SHARED_FIELDS = ("tests", "roles", "failures_of")
"""Fields of `session.json` that are equal in all shards of a run."""


class ShardSession(NamedTuple):
    """The session of one shard."""

    folder: SessionFolder
    info: SessionInfo
    shard: Shard

    @classmethod
    def of(cls, folder: SessionFolder) -> ShardSession:
        """Read a shard's session.

        Raises:
            SessionError: it can't be read.
            UsageError: it isn't a shard, or hasn't ended.
        """
        info = folder.info()
        try:
            shard = parse_shard(str(info["options"].get("shard")))
        except ValueError:
            raise UsageError(
                f"session {folder.path} isn't a shard: only those of `lve run --shard N/TOTAL` "
                "and `pytest --lve-shard N/TOTAL` can be merged",
                code="not_a_shard",
            ) from None
        if info["status"] == "running" or folder.has_parts:
            raise UsageError(
                f"session {folder.path} (shard {shard}) hasn't ended: wait for it, or go on with "
                f"`lve run --resume {folder.id}` if it was killed",
                code="unfinished_session",
            )
        return cls(folder, info, shard)

    def part(self) -> Part:
        """Return what it adds to the session of the whole run.

        Raises:
            SessionError: its tests can't be read.
        """
        return Part(self.folder.journals(), self.info, read_tests(self.folder.path))


def shards_of_one_run(folders: Iterable[SessionFolder]) -> list[ShardSession]:
    """Return the sessions of all shards of a run, in the shards' order.

    Args:
        folders: the sessions' folders, in any order.

    Raises:
        UsageError: a shard is missing or given twice, or they aren't shards of one run.
        SessionError: a session can't be read, or lacks results.
    """
    parts = sorted(map(ShardSession.of, folders), key=lambda part: part.shard)
    if not parts:
        raise UsageError("say which sessions to merge", code="not_a_shard")
    _check_alike(parts)
    _check_all_there(parts)
    _check_results(parts)
    return parts


def _check_alike(parts: Sequence[ShardSession]) -> None:
    """Refuse sessions that aren't shards of one run."""
    first = parts[0]
    for other in parts[1:]:
        different = [
            name for name, mine in _content(first).items() if mine != _content(other)[name]
        ]
        if different:
            raise UsageError(
                f"sessions {first.folder.path} and {other.folder.path} aren't parts of one run: "
                f"they differ in {', '.join(different)}. Run all shards of the same files, with "
                "the same options and the same lve",
                code="different_runs",
            )


def _content(part: ShardSession) -> dict[str, object]:
    """Return description -> value, for everything that must be equal in all shards of a run."""
    options = part.info["options"]
    return {
        "the number of shards": part.shard.total,
        "the version of lve": part.info.get("versions", {}).get("lve"),
        "models": sorted(part.info.get("models", ())),
        "what the settings say of models": part.info.get("settings"),
        "what pytest selected": _selected(part.info),
        **{name: part.info.get(name) for name in _SHARED_FIELDS},
        **{
            f"the option {name}": options.get(name)
            for name, option in OPTIONS.items()
            if option.on_resume == "fixed" and name != "shard"
        },
    }


def _selected(info: SessionInfo) -> list[tuple[str, str, list[tuple[str, list[int]]]]]:
    """Return the instances that pytest had selected, sorted."""
    return sorted(
        (
            test["test"],
            test["model"],
            sorted((source, sorted(lines)) for source, lines in test["instances"].items()),
        )
        for test in info.get("selected") or ()
    )


def _check_all_there(parts: Sequence[ShardSession]) -> None:
    """Refuse a missing shard, and one that is given twice."""
    there: dict[int, ShardSession] = {}
    for part in parts:
        if same := there.get(part.shard.number):
            raise UsageError(
                f"shard {part.shard} occurs twice: {same.folder.path} and {part.folder.path}; "
                "name one of them",
                code="different_runs",
            )
        there[part.shard.number] = part
    total = parts[0].shard.total
    missing = [str(Shard(n, total)) for n in range(1, total + 1) if n not in there]
    if missing:
        option = "--lve-shard" if "selected" in parts[0].info else "--shard"  # pytest, or `lve run`
        raise UsageError(
            f"missing: shard {first_names(missing, 5)}. Run it with `{option} {missing[0]}` "
            "and the options of the others, then merge again",
            code="missing_shard",
        )


def _check_results(parts: Sequence[ShardSession]) -> None:
    """Refuse results that two shards have, and shards that lack results."""
    owners: dict[ResultId, int] = {}
    for number, part in enumerate(parts):
        damage: list[str] = []
        tests: set[tuple[str, str]] = set()
        count = 0
        for result in part.folder.results(warn=damage.append):
            count += 1
            tests.add((result.test, result.model))
            owner = owners.setdefault(result.id, number)
            if owner != number:
                place = f"{result.test}, {place_of_row(result.source, result.line)}"
                raise UsageError(
                    f"sessions {parts[owner].folder.path} and {part.folder.path} both have "
                    f"{place}: shards of one run share nothing",
                    code="different_runs",
                )
        damage += _gaps(part, tests, count)
        if damage:
            raise SessionError(
                f"{damage[0]}; a merged session would lack them: copy the whole folder, or run "
                f"shard {part.shard} again",
                code="session_damaged",
            )


def _gaps(part: ShardSession, tests: set[tuple[str, str]], count: int) -> list[str]:
    """Return descriptions of what a session lacks, because its folder was not copied whole, say.

    Args:
        part: the session.
        tests: (test, model) of its results.
        count: number of its results.
    """
    gaps: list[str] = []
    described = read_tests(part.folder.path, warn=gaps.append)
    noted = _summary(part, "instances").get("total")
    if isinstance(noted, int) and count != noted:
        gaps.append(f"{part.folder.path} has {count:,} of its {noted:,} results")
    if unknown := sorted(tests.difference(described)):
        gaps.append(f"{part.folder.path / TESTS_FILE} doesn't say what {unknown[0][0]} expects")
    return gaps


def served_differently(parts: Iterable[ShardSession]) -> Iterator[str]:
    """Yield a warning for each model for which servers reported different model ids in the shards:
    a new version may have been released meanwhile."""
    served: dict[str, dict[str, Shard]] = {}
    for part in parts:
        for model, names in _summary(part, "served_models").items():
            if isinstance(names, list) and names:
                said = " and ".join(sorted(map(str, names)))
                served.setdefault(str(model), {}).setdefault(said, part.shard)
    for model, said_in in sorted(served.items()):
        if len(said_in) > 1:
            names = ", ".join(f"{said} in shard {shard}" for said, shard in said_in.items())
            yield f"{model} was served as {names}: the merged rates are those of a mixture"


def _summary(part: ShardSession, name: str) -> JsonObject:
    """Return an object from a session's summary; empty if it isn't one. The schema doesn't cover
    the summary, so it may be forged."""
    summary = part.info.get("summary")
    value = summary.get(name) if isinstance(summary, Mapping) else None
    return value if isinstance(value, Mapping) else {}
