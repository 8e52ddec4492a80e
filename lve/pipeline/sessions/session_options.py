"""The options of a session: what its file keeps of them, and what it may bring back.

A session file may have come with somebody's folder. So it brings back what a test folder may say,
held to the same bounds, and what makes a run smaller. What opens a door or goes beyond what holds
without the session is the command line's and the settings' to say, each time again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lve.documents.json_lines import canonical_json, plain
from lve.errors import UsageError
from lve.redaction import REDACTED
from lve.reserved import is_folder_elsewhere, refusal_of_typed_arg
from lve.run_options import DEFAULTS, OPTIONS, RunOptions, spelled
from lve.settings.settings import Caps, Settings

_OF_A_MACHINE = frozenset(
    (
        "base_url",
        "api_key_env",
        "max_connections",
        "requests_per_minute",
        "tokens_per_minute",
        "timeout_s",
    )
)


def stored_options(options: RunOptions) -> dict[str, Any]:
    """Return options as JSON values, those at their default left out."""
    return {
        name: _plain(getattr(options, name))
        for name in OPTIONS
        if getattr(options, name) != getattr(DEFAULTS, name)
    }


def stored_sandbox(options: RunOptions, settings: Settings) -> dict[str, Any]:
    """Return which layers the sandbox has; nothing where no code of tests may run."""
    if not (options.trust or settings.trust):
        return {}
    from lve.sandbox.layers import layers  # late: it loads ctypes

    return {"sandbox": {layer.name: layer.is_available for layer in layers()}}


def stored_settings(options: RunOptions, settings: Settings) -> dict[str, Any]:
    """Return a sum over what the settings say that decides results, if the session is a shard:
    `lve merge` refuses those that differ in it. Where a server is, and how fast it may be asked,
    may differ from machine to machine."""
    if options.shard is None:
        return {}
    from hashlib import sha256

    models = {
        name: {key: value for key, value in entry._asdict().items() if key not in _OF_A_MACHINE}
        for name, entry in settings.models.items()
    }
    said = {"models": models, "model": settings.model, "caps": settings.caps._asdict()}
    return {"settings": sha256(canonical_json(plain(said)).encode()).hexdigest()}


def restored_options(
    stored: Mapping[str, Any], now: Mapping[str, Any], *, session: str, caps: Caps
) -> RunOptions:
    """Return the options of a resumed session.

    Args:
        stored: what `stored_options` gave, as `session.json` has it.
        now: what the user gives now: fields of `RunOptions`.
        session: its id, for messages.
        caps: the maintainer's.

    Raises:
        UsageError: something is given now that would change the session's results, or what only
            the command line may say is not given again: a secret that was kept out of the
            session's file, a permission, a number beyond what holds without it.
    """
    stored, now = _given_again(stored, now)
    brought: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in stored.items()
        if OPTIONS[name].on_resume != "not_stored"
    }
    earlier = RunOptions(**brought)
    for name in sorted(name for name in now if OPTIONS[name].on_resume == "fixed"):
        if now[name] != getattr(earlier, name):
            raise UsageError(
                f"{_option(name)} can't change what an earlier session began with; "
                "start a new one without --resume, --last-failed or --failed-in",
                code="session_options",
            )
    _check_brought(brought, earlier, session)
    _refuse_beyond(brought, now, session=session, caps=caps)
    return replace(earlier, **now)


def granted_words(options: RunOptions) -> list[str]:
    """Return the words of a command line that give again what a session doesn't bring back."""
    return [word for words in _beyond(stored_options(options), {}, Caps()) for word in words]


def _check_brought(brought: Mapping[str, Any], earlier: RunOptions, session: str) -> None:
    """Check a session's options by the rules for those on the command line."""
    from lve.pipeline.sessions.python_arguments import check_options  # for sessions that go on

    try:
        check_options(earlier)
    except UsageError as error:
        raise UsageError(f"session {session}: {error}", code="session_options") from None
    for name in brought.get("model_args", {}):
        if refusal := refusal_of_typed_arg(name):
            raise UsageError(f"session {session}: {': '.join(refusal)}", code="session_options")


def _refuse_beyond(
    brought: Mapping[str, Any], now: Mapping[str, Any], *, session: str, caps: Caps
) -> None:
    missing = [" ".join(words) for words in _beyond(brought, now, caps)]
    if missing:
        them = "it" if len(missing) == 1 else "them"
        raise UsageError(
            f"session {session} ran with {' and '.join(missing)}: give {them} again to go on "
            f"with {them}",
            code="session_options",
        )


def _beyond(
    brought: Mapping[str, Any], now: Mapping[str, Any], caps: Caps
) -> Iterator[tuple[str, ...]]:
    """Yield what has to be given again, each as words of a command line."""
    for name, value in brought.items():
        option = OPTIONS[name]
        bound = option.at_most(caps) if option.at_most else None
        is_beyond = bound is not None and value is not None and value > bound
        is_grant = option.on_resume == "given_again" and value not in (None, False)
        if name == "models" and name not in now and any(map(is_folder_elsewhere, value)):
            yield tuple(word for model in value for word in ("--model", model))
        if name == "roles" and name not in now and any(map(is_folder_elsewhere, value.values())):
            yield tuple(word for role in value for word in ("--role", f"{role}={value[role]}"))
        if name not in now and (is_beyond or is_grant):
            yield (_option(name),) if value is True else (_option(name), str(value))


def _given_again(
    stored: Mapping[str, Any], now: Mapping[str, Any]
) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return both options with the secrets that the session's file leaves out, as given now."""
    stored, now = dict(stored), dict(now)
    for name, value in stored.items():
        if name in ("parameters", "model_args"):
            again = now.get(name, {})
            hidden = [key for key, one in value.items() if REDACTED in str(one)]
            _refuse_missing([f"{_option(name)} {key}=..." for key in hidden if key not in again])
            stored[name] = {**value, **{key: again[key] for key in hidden}}
            if hidden:
                now[name] = {**stored[name], **again}
        elif REDACTED in str(value) and name not in now and OPTIONS[name].on_resume != "not_stored":
            _refuse_missing([_option(name)])
    return stored, now


def _option(name: str) -> str:
    """Return what a field of `RunOptions` is called on the command line."""
    return OPTIONS[name].short if name == "parameters" else spelled(name)


def _refuse_missing(options: Sequence[str]) -> None:
    if options:
        raise UsageError(
            "the session's file leaves out what looked like a secret; give again: "
            + " ".join(options),
            code="session_options",
        )


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    return list(value) if isinstance(value, tuple) else value
