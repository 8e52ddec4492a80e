"""Makes targets that are Python functions of the workspace."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from lve.errors import SettingsError
from lve.extensions.targets.python import worker_script
from lve.extensions.targets.reply import Reply, reply_from
from lve.extensions.targets.request import MESSAGES, NAMES, PROMPT, AppRequest, Takes
from lve.extensions.targets.target_model import Attempt, TargetModel
from lve.extensions.targets.trust import check_trusted, rights_in
from lve.extensions.targets.version import files_version, root_of, version_of
from lve.extensions.targets.workers import Command, Workers
from lve.files.inside import check_inside
from lve.models.chat_model import ChatModel
from lve.models.config import ModelConfig
from lve.models.http.json_body import decode
from lve.settings.code_file import CodeFileError, read_code, statements

WORKERS = 4
"""Processes at once, if the settings don't say."""
_FUNCTION = re.compile(r"(?:[\w./-]+\.py|\w+(?:\.\w+)*):\w+(?:\.\w+)*")


def make_model(config: ModelConfig) -> ChatModel:
    """Return a model that is a function.

    Raises:
        SettingsError: the settings name none.
        TrustError: it isn't trusted.
    """
    options = config.entry.options
    name = options.get("function")
    if name is None or not _FUNCTION.fullmatch(name):
        raise SettingsError(
            f"model {config.name!r}: a function is named in lve.yaml as module:function, such as "
            f'`models: {{{config.name}: {{provider: python, options: {{function: "app.answers:'
            'answer"}}}`',
            code="target",
        )
    root = root_of(config)
    file = function_file(root, name)
    check_trusted(config, [name if file is None else file], f"its function {name}")
    return FunctionTarget(config, root, name, file)


def function_file(root: Path, name: str) -> str | None:
    """Return the file of a function, relative to the workspace's root; None if it isn't there."""
    module = name.rpartition(":")[0]
    stem = module.replace(".", "/")
    names = [module] if module.endswith(".py") else [f"{stem}.py", f"{stem}/__init__.py"]
    for file in names:
        try:
            check_inside(root, file)
        except OSError:
            continue
        return file
    return None


def takes_of(root: Path, file: str | None, name: str) -> Takes:
    """Return what a function takes, by its parameters in its file, of which nothing is run. One
    that isn't defined there at the top is believed to take everything.

    Args:
        root: the workspace's root.
        file: the function's file, relative to the root, if it is there.
        name: the function: `module:function`.
    """
    import ast  # late: it takes 15 ms

    try:
        tree = [] if file is None else statements(root / file, read_code(root, root / file))
    except CodeFileError:  # its import says why
        tree = []
    attribute = name.rpartition(":")[2]
    for node in tree:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == attribute:
            own = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            names = {parameter.arg for parameter in own} & {*NAMES}
            if MESSAGES not in names and not node.args.kwarg:
                names.add(PROMPT)
            if not node.decorator_list:
                return Takes(frozenset(names), how="the prompt", is_function=True)
    return Takes()


class FunctionTarget(TargetModel):
    """A function that runs in processes of its own."""

    def __init__(self, config: ModelConfig, root: Path, name: str, file: str | None) -> None:
        """Args:
        config: the model's configuration.
        root: the workspace's root.
        name: the function: `module:function`.
        file: its file, relative to the root, if it is there.
        """
        options = config.entry.options
        version = version_of(config)
        super().__init__(config, takes_of(root, file, name), {"function": name}, version)
        if version is None and file is not None:
            self.sent_differently = {"version": files_version(config, [file])}
        python = options.get("python")
        program = sys.executable if python is None else str(root / Path(python).expanduser())
        command = Command(
            (program, worker_script.__file__, str(root), name),
            root,
            rights_in(config, root, sandbox=False),
            is_long_lived=True,
            greets=True,
            start_s=options.get("start_s", 60.0),
        )
        self._workers = Workers(command, options.get("workers", WORKERS), f"the function {name}")

    async def answer(self, request: AppRequest, attempt: Attempt) -> Reply:
        """Return the function's answer; see `TargetModel.answer`."""
        output = await self._workers.ask(
            json.dumps(request.values()), attempt.timeout_s, session=request.session
        )
        value: Any = decode(output.encode("utf-8", "replace"))
        reply = reply_from(value)
        attempt.show(reply.text)
        return reply

    async def aclose(self) -> None:
        """End all processes."""
        await self._workers.close()
