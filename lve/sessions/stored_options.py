"""The options in `session.json`: which are stored, and which a resumed session takes from there.

A session's folder may have come from somebody else, so it isn't trusted. Only options that a test
may set, within the same caps, and options that make a run smaller are taken from it. Options that
grant a permission or exceed a cap must be given again on the command line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lve.documents.json_lines import canonical_json, plain
from lve.errors import UsageError
from lve.json_types import JsonObject, JsonValue
from lve.options.run_options import DEFAULTS, OPTIONS, RunOptions, spelled
from lve.secrets.secret_values import REDACTED
from lve.sessions.session_info import SessionInfo
from lve.settings.reserved import is_folder_elsewhere, refusal_of_typed_arg
from lve.settings.settings import Caps, Settings

_MACHINE_SETTINGS = frozenset(
    (
        "base_url",
        "api_key_env",
        "max_connections",
        "requests_per_minute",
        "tokens_per_minute",
        "timeout_s",
    )
)


def stored_options(options: RunOptions) -> dict[str, JsonValue]:
    """Return the options that aren't at their default, as JSON values."""
    return {
        name: _plain(getattr(options, name))
        for name in OPTIONS
        if getattr(options, name) != getattr(DEFAULTS, name)
    }


def stored_sandbox(options: RunOptions, settings: Settings) -> SessionInfo:
    """Return which layers the sandbox has here; an empty dict if no test may run code."""
    if not (options.trust or settings.trust):
        return {}
    from lve.sandbox.layers import layers  # late: it loads ctypes

    return {"sandbox": {layer.name: layer.is_available for layer in layers()}}


def stored_settings(options: RunOptions, settings: Settings) -> SessionInfo:
    """Return a hash of the settings that can change results, if the session is a shard: `lve
    session merge` refuses shards with different hashes. A server's address and its rate limits
    aren't part of it, because they may differ between machines."""
    if options.shard is None:
        return {}
    from hashlib import sha256

    models = {
        name: {key: value for key, value in entry._asdict().items() if key not in _MACHINE_SETTINGS}
        for name, entry in settings.models.items()
    }
    said = {"models": models, "model": settings.model, "caps": settings.caps._asdict()}
    return {"settings": sha256(canonical_json(plain(said)).encode()).hexdigest()}


def restored_options(
    stored: Mapping[str, object], now: Mapping[str, Any], *, session: str, caps: Caps
) -> RunOptions:
    """Return the options of a resumed session.

    Args:
        stored: the result of `stored_options`, as `session.json` has it.
        now: the options that are given now: fields of `RunOptions`.
        session: the session's id, for messages.
        caps: the settings' caps.

    Raises:
        UsageError: an option is given that would change the session's results; or one is missing
            that must be given again: a secret, a permission, or a number that exceeds a cap.
    """
    stored, now = _given_again(stored, now)
    brought: dict[str, Any] = {
        name: OPTIONS[name].values.from_python(value)
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
    """Return the command-line words for the options that must be given again to resume a
    session."""
    return [word for words in _beyond(stored_options(options), {}, Caps()) for word in words]


def _check_brought(brought: Mapping[str, Any], earlier: RunOptions, session: str) -> None:
    """Check a session's options by the rules for the command line."""
    from lve.options.python_arguments import check_options  # for sessions that go on

    try:
        check_options(earlier)
    except UsageError as error:
        raise UsageError(f"session {session}: {error}", code="session_options") from None
    for name in brought.get("model_args", {}):
        if refusal := refusal_of_typed_arg(name):
            raise UsageError(f"session {session}: {': '.join(refusal)}", code="session_options")


def _refuse_beyond(brought: JsonObject, now: JsonObject, *, session: str, caps: Caps) -> None:
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
    """Yield the options that must be given again, each as words of a command line."""
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
    """Return both sets of options, with the redacted values of `stored` replaced by those of
    `now`."""
    stored, now = dict(stored), dict(now)
    for name, value in stored.items():
        if name in ("parameters", "model_args"):
            again = now.get(name, {})
            hidden = [key for key, stored_value in value.items() if REDACTED in str(stored_value)]
            _refuse_missing([f"{_option(name)} {key}=..." for key in hidden if key not in again])
            stored[name] = {**value, **{key: again[key] for key in hidden}}
            if hidden:
                now[name] = {**stored[name], **again}
        elif REDACTED in str(value) and name not in now and OPTIONS[name].on_resume != "not_stored":
            _refuse_missing([_option(name)])
    return stored, now


def _option(name: str) -> str:
    """Return the command-line name of a field of `RunOptions`."""
    return OPTIONS[name].short if name == "parameters" else spelled(name)


def _refuse_missing(options: Sequence[str]) -> None:
    if options:
        raise UsageError(
            "the session's file leaves out what looked like a secret; give again: "
            + " ".join(options),
            code="session_options",
        )


def _plain(value: Any) -> JsonValue:
    if isinstance(value, Path):
        return str(value)
    return list(value) if isinstance(value, tuple) else value
