"""The command `lve session cache`: shows, clears or prunes the cache of completions."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import click

from lve.cli.printing import View, print_line, print_message
from lve.cli.shared_options import shows
from lve.errors import UsageError
from lve.escape import one_line
from lve.execution.cache.sqlite import open_store
from lve.execution.cache.sqlite_file import CACHE_FILE, UnusableCacheError, prepare
from lve.extensions.caching import contents
from lve.extensions.caching.contents import CacheStats, stats_from, stats_of
from lve.files.owner_only import check_private_file
from lve.plurals import amount
from lve.sessions.storage import Storage, storage_here
from lve.workspace import Workspace, display_path, find_root

SIZE_UNITS = {"": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9}
AGE_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_NUMBER = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]*)\s*")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def cache() -> None:
    """Show, clear or prune the cache of completions.

    lve keeps completions in .lve/cache.db, and doesn't send the same request again without `lve
    run --no-cache` or `--refresh`. A team can share a cache: see docs/scaling.md.
    """


place_option = click.option(
    "--session-dir",
    type=click.Path(file_okay=False),
    metavar="FOLDER",
    help="Folder of sessions and cache.  [default: .lve in the workspace]",
)


@cache.command()
@place_option
@shows
def stats(session_dir: str | None) -> View:
    """Count the completions of each model, and how often they were used.

    \b
    lve session cache stats
    lve session cache stats --json
    """
    view: View | None = _storage(session_dir).stats()
    if view is not None:
        return view
    path = _path(session_dir)
    figures = None
    if path.exists():
        if not os.access(path.parent, os.W_OK):
            figures = _read_only(path)
        else:
            with _opened(path):
                figures = stats_of(path)
    return View(lambda: _as_json(path, figures), _lines(path, figures))


@cache.command()
@place_option
@click.option("-y", "--yes", is_flag=True, help="Don't ask for confirmation.")
def clear(session_dir: str | None, yes: bool) -> None:
    """Delete all completions.

    \b
    lve session cache clear
    """
    _storage(session_dir).refuse_to_delete("clear")
    path = _existing(session_dir)
    if path is None:
        return
    with _opened(path):
        entries = stats_of(path).entries
        question = f"Delete {amount(entries, 'completion')} in {display_path(path)}?"
        if entries and not yes and not _agrees(question):
            click.echo("nothing was deleted")
            return
        click.echo(f"{amount(contents.prune(path), 'completion')} deleted")


@cache.command()
@place_option
@click.option(
    "--older-than", metavar="AGE", help="Delete completions older than this, such as 30d, 12h, 2w."
)
@click.option(
    "--max-size", metavar="SIZE", help="Keep only the newest, up to this size, such as 500MB."
)
@click.option("--model", "-m", metavar="MODEL", help="Delete only completions of this model.")
def prune(
    session_dir: str | None, older_than: str | None, max_size: str | None, model: str | None
) -> None:
    """Delete completions by age, size or model.

    \b
    lve session cache prune --older-than 30d
    lve session cache prune --max-size 500MB
    lve session cache prune --model openai/gpt-6-luna
    """
    if older_than is None and max_size is None and model is None:
        raise click.UsageError(
            "give --older-than, --max-size or --model (`lve session cache clear` deletes all)"
        )
    age = parse_quantity(older_than, AGE_UNITS, option="--older-than") if older_than else None
    size = parse_quantity(max_size, SIZE_UNITS, option="--max-size") if max_size else None
    _storage(session_dir).refuse_to_delete("prune")
    path = _existing(session_dir)
    if path is None:
        return
    with _opened(path):
        deleted = contents.prune(
            path, older_than_s=age, max_bytes=None if size is None else int(size), model=model
        )
        click.echo(f"{amount(deleted, 'completion')} deleted, {stats_of(path).entries:,} left")


def parse_quantity(text: str, units: dict[str, int], *, option: str) -> float:
    """Return a quantity such as `30d` or `1.5GB` in seconds or bytes.

    Raises:
        click.BadParameter: it isn't a number with one of the units.
    """
    match = _NUMBER.fullmatch(text)
    unit = match.group(2).lower() if match else None
    if match is None or unit not in units:
        spelled = ", ".join(f"5{unit}" for unit in units)
        raise click.BadParameter(f"'{text}' is not like {spelled}", param_hint=f"'{option}'")
    return float(match.group(1)) * units[unit]


def _storage(session_dir: str | None) -> Storage:
    """Return the storage of completions; that of this machine if `session_dir` names a folder."""
    return storage_here() if session_dir is None else Storage()


def _path(session_dir: str | None) -> Path:
    if session_dir is not None:
        return Path(session_dir).absolute() / CACHE_FILE
    return Workspace(find_root(Path.cwd())).session_dir / CACHE_FILE


def _existing(session_dir: str | None) -> Path | None:
    """Return the file of the cache. Print a message and return None if it doesn't exist."""
    path = _path(session_dir)
    if path.exists():
        return path
    print_line(_no_cache(path))
    return None


def _no_cache(path: Path) -> str:
    return f"there is no cache yet ({display_path(path)})"


def _agrees(question: str) -> bool:
    """Ask the user to confirm.

    Raises:
        click.UsageError: stdin has no answer.
    """
    try:
        return click.confirm(question)
    except click.Abort as error:
        if not isinstance(error.__context__, EOFError):  # Ctrl-C
            raise
        click.echo(err=True)
        raise click.UsageError(
            "there is no answer on standard input: give --yes to clear without confirmation"
        ) from None


@contextmanager
def _opened(path: Path) -> Iterator[None]:
    """Hold the cache open, once it is checked.

    Raises:
        UsageError: it can't be used.
    """
    import sqlite3

    problems: list[str] = []
    store = open_store(path, warn=problems.append)
    for problem in problems if store is not None else ():
        print_message(problem)
    if store is None:
        raise UsageError("; ".join(problems).removesuffix(" [cache]"), code="cache")
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise UsageError(f"{display_path(path)} can't be used: {error}", code="cache") from error
    finally:
        store.close()


def _read_only(path: Path) -> CacheStats:
    """Return the statistics of a cache in a folder where nothing can be written, such as one that
    is mounted so. What SQLite has not merged into the file isn't counted.

    Raises:
        UsageError: it can't be read.
    """
    import sqlite3

    try:
        check_private_file(path)
        uri = f"{path.absolute().as_uri()}?immutable=1"
        with closing(sqlite3.connect(uri, uri=True)) as db:
            db.execute("PRAGMA trusted_schema=OFF")
            prepare(db)
            return stats_from(path, db)
    except (OSError, sqlite3.DatabaseError, UnusableCacheError) as error:
        raise UsageError(f"{display_path(path)} can't be used: {error}", code="cache") from error


def _lines(path: Path, figures: CacheStats | None) -> Iterator[str]:
    if figures is None:
        yield _no_cache(path)
        return
    yield f"{display_path(path)}: {_size(figures.file_bytes)}"
    yield f"{amount(figures.entries, 'completion')}, used {amount(figures.hits, 'time')}"
    if figures.oldest is not None:
        yield f"the oldest is of {datetime.fromtimestamp(figures.oldest):%Y-%m-%d %H:%M}"
    for model in figures.models:
        name = one_line(model.model) or "(no name)"
        yield f"  {name}: {amount(model.entries, 'completion')}, {_size(model.size_bytes)}"


def _as_json(path: Path, figures: CacheStats | None) -> dict[str, object]:
    stats = figures or CacheStats(entries=0, file_bytes=0, hits=0, oldest=None, models=())
    moment = stats.oldest and datetime.fromtimestamp(stats.oldest, UTC).isoformat()
    return {
        "file": str(path),
        "exists": figures is not None,
        **asdict(stats),
        "oldest": moment,
    }


def _size(count: int) -> str:
    if count < 10**6:
        return f"{count / 1000:.1f} KB"
    return f"{count / 10**6:.1f} MB" if count < 10**9 else f"{count / 10**9:.2f} GB"
