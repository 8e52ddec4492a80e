"""A session as one side of a comparison."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack

from lve.comparison.journal_rows import journal_rows, result_at
from lve.comparison.side import Hash, Row, SideFacts, stable_hash
from lve.options.run_options import DEFAULTS, PICKING, word_of
from lve.sessions.instance_result import InstanceResult
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_info import SessionInfo

OFFSET_BITS = 48
"""The lower bits of `Row.where` are an offset in a journal; the upper bits are its index."""
DESELECTED = "deselected by pytest"
"""What `SideFacts.picked` says of `-k`, `-m` and the like of pytest."""
_OFFSET = (1 << OFFSET_BITS) - 1


class SessionSide:
    """The results in the folder of a session. It keeps the journals open, so that all are there to
    the end, whatever is merged meanwhile."""

    def __init__(self, folder: SessionFolder, *, warn: Callable[[str], None]) -> None:
        """Read the facts of a session.

        Args:
            folder: the session's folder.
            warn: called with the number of unreadable lines, if any.

        Raises:
            SessionError: the session can't be read.
        """
        files = ExitStack()
        weakref.finalize(self, files.close)
        self._journals = files.enter_context(folder.opened_journals())
        self._warn = warn
        info = folder.info()
        models = tuple(info.get("models") or ()) or self._models_in_results()
        self.facts = SideFacts(
            name=f"session {folder.id}",
            short=folder.id,
            started=str(info["started"]),
            commit=(info.get("git") or {}).get("commit"),
            models=models,
            sums=info.get("tests") or {},
            options=info["options"],
            picked=_picked(info),
            ended="" if info["status"] == "complete" else str(info["status"]),
            roles=info.get("roles") or {},
            served=_served(info.get("summary")),
            lve=(info.get("versions") or {}).get("lve"),
        )

    def rows(self, hash_of: Hash = stable_hash) -> Iterator[Row]:
        """Yield the results. What a merge, or a killed one, has in two journals comes once."""
        if len(self._journals) == 1:
            yield from journal_rows(self._journals[0], self._warn, hash_of)
            return
        earlier: set[int] = set()
        for number, journal in enumerate(self._journals):
            here: set[int] = set()
            for row in journal_rows(journal, self._warn, hash_of):
                if (
                    key := hash(row._replace(where=0, verdict=0, is_advisory=False))
                ) not in earlier:
                    here.add(key)
                    yield row._replace(where=row.where | number << OFFSET_BITS)
            earlier |= here

    def result(self, where: int) -> InstanceResult | None:
        """Return a whole result.

        Raises:
            SessionError: its journal can't be read.
        """
        return result_at(self._journals[where >> OFFSET_BITS], where & _OFFSET)

    def _models_in_results(self) -> tuple[str, ...]:
        """Return the models of the results, for a session that doesn't list its models."""
        return tuple(dict.fromkeys(row.model for row in self.rows()))


def _picked(info: SessionInfo) -> tuple[str, ...]:
    """Return what left out tests or instances: options, or pytest's own selection."""
    options = info["options"]
    option_words = (
        word_of(name)
        for name in ("tags", *PICKING)
        if options.get(name) not in (None, [], getattr(DEFAULTS, name))
    )
    return (*option_words, *([DESELECTED] if info.get("deselected") else ()))


def _served(summary: object) -> Mapping[str, tuple[str, ...]]:
    """Return the served models in a summary. Its types are checked here, because the schema doesn't
    check them and the file may be forged."""
    models = summary.get("served_models") if isinstance(summary, Mapping) else None
    if not isinstance(models, Mapping):
        return {}
    return {
        str(model): tuple(str(name) for name in names)
        for model, names in models.items()
        if isinstance(names, list)
    }
