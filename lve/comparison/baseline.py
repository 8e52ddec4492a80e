"""Baselines: small files with the verdicts of a session, to commit and compare with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from lve.comparison.side import FAILED, NO_VERDICT, PASSED, Hash, Row, Side, SideFacts, stable_hash
from lve.data.row_places import INSTANCES
from lve.documents.json_text import decode_written
from lve.documents.validation.schema import explain_value, is_valid
from lve.errors import UsageError
from lve.files.inside import WHOLE_BYTES, read_regular, reason_of
from lve.json_types import JsonObject, JsonValue
from lve.named_tuples import NamedTuple
from lve.sessions.instance_result import InstanceResult
from lve.workspace import display_path

VERSION = 1
MAX_REPEATS = 10_000
"""The most repeats of an instance that a baseline keeps."""
LETTERS = {PASSED: "P", FAILED: "F", NO_VERDICT: "E"}
"""Verdict -> its letter in a baseline."""
NOT_RUN = "-"
_VERDICTS = {letter: verdict for verdict, letter in LETTERS.items()}


class BaselineSide:
    """The verdicts of a baseline as one side of a comparison."""

    def __init__(self, file: Path, content: Mapping[str, Any]) -> None:
        """
        Args:
            file: the baseline's file.
            content: its content, valid by schemas/baseline.schema.json.
        """
        self.content = content
        origin, tests = content["made"], content["tests"]
        self.facts = SideFacts(
            name=f"baseline {display_path(file)}",
            short=display_path(file).name,
            started=origin["started"],
            commit=origin["commit"],
            models=tuple(
                dict.fromkeys(model for entry in tests.values() for model in entry["models"])
            ),
            sums={test: entry["sums"] for test, entry in tests.items()},
            options={"model_args": origin["model_args"]},
            roles={"judge": origin["judge"]} if origin["judge"] else {},
            served={model: tuple(names) for model, names in origin["served"].items()},
            lve=origin["lve"],
            has_stable_hashes=True,
            earlier={
                (test, model): _facts_of(test, model, ran)
                for test, entry in tests.items()
                for model, ran in entry.get("earlier", {}).items()
            },
        )

    def rows(self, hash_of: Hash = stable_hash) -> Iterator[Row]:
        """Yield the results. A baseline has no args, only their stable hashes."""
        del hash_of
        for test, entry in self.content["tests"].items():
            for model, instances in entry["models"].items():
                for place, letters in instances.items():
                    where, _, args = place.rpartition(" ")
                    source, _, line = where.rpartition(":")
                    for repeat, letter in enumerate(letters):
                        if letter != NOT_RUN:
                            verdict = _VERDICTS[letter]
                            yield Row(
                                test, model, source, int(line), repeat, int(args, 16), verdict, 0
                            )

    def result(self, where: int) -> InstanceResult | None:
        """Return None: a baseline has no answers."""
        del where
        return None


def _facts_of(test: str, model: str, ran: Mapping[str, Any]) -> SideFacts:
    """Return the facts about verdicts that an update of the baseline kept."""
    return SideFacts(
        name="",
        short="",
        sums={test: ran["sums"]},
        options={"model_args": ran["model_args"]},
        roles={"judge": ran["judge"]} if ran["judge"] else {},
        served={model: tuple(ran["served"])},
        lve=ran["lve"],
    )


class Saved(NamedTuple):
    """A new baseline."""

    content: Mapping[str, Any]
    left_out: int
    """Number of results that aren't kept, because their repeat number is too high."""


def read_baseline(file: Path) -> BaselineSide:
    """Read a baseline.

    Raises:
        UsageError: the file can't be read, or isn't a baseline.
    """
    display = display_path(file)
    try:
        content = decode_written(read_regular(file, WHOLE_BYTES).decode("utf-8"))
    except FileNotFoundError:
        hint = f"`lve compare --save {display}` makes one of the last session"
        raise UsageError(f"there is no baseline {display}: {hint}", code="no_such_path") from None
    except OSError as error:
        raise UsageError(
            f"{display} can't be read: {reason_of(error)}", code="unreadable"
        ) from error
    except ValueError as error:
        raise UsageError(
            f"{display} is no baseline: it isn't valid JSON: {error}", code="baseline"
        ) from error
    version = content.get("version") if isinstance(content, dict) else None
    if isinstance(version, int) and version > VERSION:
        raise UsageError(
            f"{display} has format {version} and this lve reads {VERSION}: update lve",
            code="other_version",
        )
    if not is_valid(content, "baseline") and (problems := explain_value(content, "baseline")):
        raise UsageError(f"{display} is no baseline: {problems[0]}", code="baseline")
    return BaselineSide(file, content)


def baseline_of(side: Side, *, older: Mapping[str, Any] | None = None) -> Saved:
    """Return a baseline with the verdicts of a side.

    Args:
        side: the side.
        older: an older baseline to update. Its verdicts of other tests and models are kept.
    """
    facts = side.facts
    verdicts, left_out = _verdicts(side.rows())
    tests: dict[str, Any] = {
        test: {**entry, "models": dict(entry["models"])}
        for test, entry in (older or {"tests": {}})["tests"].items()
    }
    for (test, model), instances in verdicts.items():
        entry = tests.setdefault(test, {"models": {}})
        entry["sums"] = dict(facts.sums.get(test) or {})
        entry["models"][model] = {
            place: instances[place] for place in sorted(instances, key=_order)
        }
    served = {**(older["made"]["served"] if older else {}), **facts.served}
    origin = {
        "from": facts.name,
        "started": facts.started,
        "commit": facts.commit,
        "lve": facts.lve,
        "model_args": dict(facts.options.get("model_args") or {}),
        "judge": facts.roles.get("judge"),
        "served": {model: list(served[model]) for model in sorted(served)},
    }
    if older:
        for test, entry in older["tests"].items():
            stayed = [model for model in entry["models"] if (test, model) not in verdicts]
            tests[test]["earlier"] = _earlier(
                entry, older["made"], tests[test]["sums"], origin, stayed
            )
    content = {
        "version": VERSION,
        "made": origin,
        "tests": {test: _sorted(tests[test]) for test in sorted(tests)},
    }
    return Saved(content, left_out)


def _earlier(
    older_test: Mapping[str, Any],
    older_origin: Mapping[str, Any],
    sums: Mapping[str, str],
    origin: JsonObject,
    stayed: Iterable[str],
) -> dict[str, JsonValue]:
    """Return what ran for verdicts of a test that an update keeps, by model, where it differs from
    what the new baseline says about the test.

    Args:
        older_test: the test in the older baseline.
        older_origin: `made` of the older baseline.
        sums: the test's sums in the new baseline.
        origin: `made` of the new baseline.
        stayed: the models whose verdicts are kept.
    """
    then = older_test.get("earlier", {})
    ran = {
        model: then.get(model) or _ran(older_test["sums"], older_origin, model) for model in stayed
    }
    return {model: facts for model, facts in ran.items() if facts != _ran(sums, origin, model)}


def _ran(sums: Mapping[str, str], origin: Mapping[str, Any], model: str) -> dict[str, JsonValue]:
    return {
        "sums": dict(sorted(sums.items())),
        **{name: origin[name] for name in ("lve", "model_args", "judge")},
        "served": list(origin["served"].get(model, [])),
    }


def _sorted(test: Mapping[str, Any]) -> dict[str, JsonValue]:
    """Return a test's entry, sorted, without an empty `earlier`."""
    names = [name for name in ("sums", "models", "earlier") if test.get(name) or name != "earlier"]
    return {name: dict(sorted(test[name].items())) for name in names}


def _verdicts(rows: Iterable[Row]) -> tuple[dict[tuple[str, str], dict[str, str]], int]:
    """Return test and model -> instance -> letters of its repeats, and the number of results that
    are left out."""
    verdicts: dict[tuple[str, str], dict[str, str]] = {}
    recorded: dict[tuple[str, str, int], str] = {}
    left_out = 0
    for row in rows:
        if row.repeat >= MAX_REPEATS:
            left_out += 1
            continue
        instances = verdicts.setdefault((row.test, row.model), {})
        place = f"{row.source}:{row.line} {row.args:016x}"
        if row.source.startswith(INSTANCES):  # each repeat is on a line of its own
            place = recorded.setdefault((row.test, row.model, row.args), place)
        letters = instances.get(place, "").ljust(row.repeat + 1, NOT_RUN)
        letter = LETTERS[row.verdict]
        instances[place] = letters[: row.repeat] + letter + letters[row.repeat + 1 :]
    return verdicts, left_out


def _order(place: str) -> tuple[str, int, str]:
    where, _, args = place.rpartition(" ")
    source, _, line = where.rpartition(":")
    return source, int(line), args
