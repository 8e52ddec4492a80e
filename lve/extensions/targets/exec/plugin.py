"""Makes targets that are commands."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from lve.errors import SettingsError
from lve.extensions.targets.reply import Reply, reply_from, unusable
from lve.extensions.targets.request import NAMES, AppRequest, Takes
from lve.extensions.targets.target_model import Attempt, TargetModel
from lve.extensions.targets.trust import check_trusted, rights_in
from lve.extensions.targets.version import root_of, version_of
from lve.extensions.targets.workers import Command, Workers
from lve.models.chat_model import ChatModel
from lve.models.config import ModelConfig
from lve.models.http.failures import printable
from lve.models.http.json_body import decode, is_shallow

WORKERS = 4
"""Processes at once, if the settings don't say."""
_NAME = re.compile(r"\{(" + "|".join(NAMES) + r")\}")


def make_model(config: ModelConfig) -> ChatModel:
    """Return a model that is a command.

    Raises:
        SettingsError: the settings have no command.
        TrustError: it isn't trusted.
    """
    options = config.entry.options
    words = options.get("command")
    if options.get("lines") and any(map(_NAME.search, words or ())):
        raise SettingsError(
            f"model {config.name!r}: a command that stays (`lines: true`) gets requests on stdin, "
            "not in its arguments",
            code="target",
        )
    if not words:
        raise SettingsError(
            f"model {config.name!r}: a command is defined in lve.yaml: `models: {{{config.name}: "
            "{provider: exec, options: {command: [python3, app.py]}}}`",
            code="target",
        )
    check_trusted(config, words, "its command")
    root = root_of(config)
    command = Command(
        words,
        root,
        rights_in(config, root, sandbox=True),
        is_long_lived=options.get("lines", False),
    )
    return ExecModel(config, command)


class ExecModel(TargetModel):
    """A command that gets each request as JSON on stdin, and answers on stdout."""

    def __init__(self, config: ModelConfig, command: Command) -> None:
        """Args:
        config: the model's configuration.
        command: the command, which is trusted.
        """
        identity = {"command": [*command.words]}
        super().__init__(config, Takes(), identity, version_of(config))
        self._words = command.words
        self._has_names = any(map(_NAME.search, command.words))
        self._is_long_lived = command.is_long_lived
        self._workers = Workers(
            command, config.entry.options.get("workers", WORKERS), "the command"
        )

    async def answer(self, request: AppRequest, attempt: Attempt) -> Reply:
        """Return the command's answer; see `TargetModel.answer`."""
        values = request.values()
        words = [_filled(word, values) for word in self._words] if self._has_names else None
        output = await self._workers.ask(
            json.dumps(values), attempt.timeout_s, session=request.session, words=words
        )
        reply = reply_from(_value_of(output.strip("\r\n"), only_json=self._is_long_lived))
        attempt.show(reply.text)
        return reply

    async def aclose(self) -> None:
        """End all processes."""
        await self._workers.close()


def _filled(word: str, values: Mapping[str, Any]) -> str:
    """Return a word of the command with names replaced. What else has braces is left as it is:
    shells and awk have them, too."""

    def value(match: re.Match[str]) -> str:
        named = values[match[1]]
        if named is None:
            return ""
        return named if isinstance(named, str) else json.dumps(named, ensure_ascii=False)

    return _NAME.sub(value, word).replace("\0", "")


def _value_of(output: str, *, only_json: bool) -> object:
    """Return the JSON value of an output; the text itself if it isn't an object or a text in JSON.

    Args:
        output: what the command wrote.
        only_json: whether the answer must be JSON, because a command that stays may print other
            lines.

    Raises:
        ModelError: it must be JSON and isn't, or is nested too deeply.
    """
    begins_as_json = output.lstrip().startswith(("{", '"'))
    try:
        value = decode(output.encode("utf-8", "replace")) if begins_as_json else None
    except ValueError:
        value = None
    if isinstance(value, dict | str) and is_shallow(value):
        return value
    if not only_json:
        return output
    line = printable(output)
    raise unusable(f"a line of JSON was expected, not {line!r} (print other things to stderr)")
