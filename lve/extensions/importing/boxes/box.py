"""Runs programs of other tools in a sandbox, in environments of their own."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from lve.child.answers import AnswerLimits, BoundedLines, UnreadableAnswerError, parse_answer
from lve.child.child_command import child_environment
from lve.child.child_process import Child, ChildEndedError
from lve.data_classes import dataclass
from lve.errors import UsageError
from lve.escape import tail
from lve.json_types import JsonObject
from lve.named_tuples import NamedTuple
from lve.sandbox.rights import Sandbox

HERE = Path(__file__).parents[1]
INSTALL_S = 1800
"""Seconds that the packages may take."""
_DONE = "installed"
_NETWORK = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy")
_REGISTRY = ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_CONFIG_FILE")
_NPM_REGISTRY = ("NPM_CONFIG_REGISTRY", "npm_config_registry", "NODE_EXTRA_CA_CERTS")
_NPM_OPTIONS = (
    *("--ignore-scripts", "--omit=optional", "--omit=peer", "--no-audit", "--no-fund"),
    *("--no-update-notifier", "--loglevel=error"),
)


class Tool(NamedTuple):
    """Another tool, as lve runs it."""

    name: str
    """As in `lve import NAME`."""
    requirements: Path
    """A file of pinned requirements, all of them: pip resolves nothing."""
    modules: tuple[str, ...] = ()
    """Its packages of npm, `NAME@VERSION`; PLATFORM stands for that of node: `linux-x64`."""
    before: str = ""
    """The day by which all that they depend on was published: `2026-11-20`. It pins them."""

    @property
    def folder(self) -> Path:
        """Its environment. New requirements make a new one."""
        content = self.requirements.read_bytes() + " ".join((*self.modules, self.before)).encode()
        return cache_folder() / f"{self.name}-{hashlib.sha256(content).hexdigest()[:12]}"

    @property
    def python(self) -> Path:
        """Its interpreter."""
        parts = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
        return self.folder.joinpath(*parts)

    @property
    def is_set_up(self) -> bool:
        """Whether its environment is complete."""
        return (self.folder / _DONE).is_file()

    def check(self) -> None:
        """Raise UsageError if its environment isn't complete."""
        if not self.is_set_up:
            raise UsageError(
                f"{self.name} isn't set up: `lve import --setup {self.name}` installs it into an "
                f"environment of its own below {cache_folder()}",
                code="importer",
            )


TOOLS = {
    "lm-eval": Tool("lm-eval", HERE / "lm_eval" / "requirements.txt"),
    "openai-evals": Tool("openai-evals", HERE / "openai_evals" / "requirements.txt"),
    "opencompass": Tool("opencompass", HERE / "opencompass" / "requirements.txt"),
    "aisbench": Tool("aisbench", HERE / "opencompass" / "aisbench_requirements.txt"),
    "promptfoo": Tool(
        "promptfoo",
        HERE / "promptfoo" / "requirements.txt",
        ("promptfoo@0.121.20", "@esbuild/PLATFORM@0.28.2", "node-sql-parser@5.4.0"),
        "2026-11-20",
    ),
}
"""The tools that lve can install."""
_PACKAGES = {"opencompass": TOOLS["opencompass"], "ais_bench": TOOLS["aisbench"]}


def tool_of_package(package: str) -> Tool | None:
    """Return the tool that has a Python package; None if lve can install none."""
    return _PACKAGES.get(package)


def cache_folder() -> Path:
    """Return the folder of all environments: `$LVE_TOOLS`, or `lve/tools` in the user's cache
    folder (`$XDG_CACHE_HOME` or `~/.cache`)."""
    if own := os.environ.get("LVE_TOOLS"):
        return Path(own).absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "lve" / "tools"


def set_up(tool: Tool) -> bool:
    """Make the environment of a tool, and return whether it wasn't there yet.

    Raises:
        UsageError: its packages can't be installed.
    """
    if tool.is_set_up:
        return False
    folder = tool.folder
    shutil.rmtree(folder, ignore_errors=True)  # of a set-up that was interrupted
    folder.parent.mkdir(parents=True, exist_ok=True)
    _run([sys.executable, "-m", "venv", str(folder)])
    requirements = ("--no-deps", "--requirement", str(tool.requirements))
    options = ("--quiet", "--disable-pip-version-check", "--no-input")
    _run([str(tool.python), "-m", "pip", "install", *options, *requirements], _REGISTRY)
    if tool.modules:
        platform = _run([installed("node"), "-p", "`${process.platform}-${process.arch}`"]).strip()
        modules = [module.replace("PLATFORM", platform) for module in tool.modules]
        place = ("--prefix", str(folder), f"--before={tool.before}")
        _run([installed("npm"), "install", *_NPM_OPTIONS, *place, *modules], _NPM_REGISTRY)
    (folder / _DONE).touch()
    return True


def installed(name: str) -> str:
    """Return the path of node or npm.

    Raises:
        UsageError: it isn't installed.
    """
    if (path := shutil.which(name)) is None:
        raise UsageError(f"{name} isn't installed, which the tool needs", code="importer")
    return path


def _run(command: list[str], variables: tuple[str, ...] = ()) -> str:
    """Run a command with some of the user's variables, and return what it prints."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=INSTALL_S,
            check=False,
            env=child_environment(os.environ, (*_NETWORK, *variables)),
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"the environment can't be made: {error}", code="importer") from None
    if done.returncode != 0:
        output = " ".join(done.stderr.decode("utf-8", "replace").split())
        raise UsageError(f"the environment can't be made: {tail(output, 500)}", code="importer")
    return done.stdout.decode("utf-8", "replace")


CHILD = "lve.extensions.importing.boxes.box_child"
MEMORY_BYTES = 6_000_000_000
MAX_BYTES = 400_000_000
"""Of all lines."""
LINE = AnswerLimits(4_000_000, values=50_000)
BLOCK = AnswerLimits(16_000_000)
START_S = 60.0


class BoxError(Exception):
    """The program has ended too early, or its lines can't be used. The message says why, and
    follows its name."""


@dataclass(frozen=True, slots=True)
class BoxOptions:
    """What the user allows a tool."""

    network: bool = False
    """Whether it may use the network."""
    limit: int | None = None
    """The most rows of a task; None: all."""
    timeout_s: float = 600.0
    """Seconds for everything."""
    loads: bool = False
    """Whether the tool's own code loads the rows of tests that are read as data."""
    prove: bool = False
    """Whether what is imported is compared with the tool."""


def run_in_box(
    tool: Tool,
    program: Path,
    request: Mapping[str, object],
    options: BoxOptions,
    *,
    folder: Path | None = None,
) -> Iterator[JsonObject]:
    """Yield the lines of a program of a tool.

    Args:
        tool: the tool, which is set up.
        program: a file of Python, or of JavaScript, which node runs.
        request: what it gets on stdin, with a `nonce`.
        options: what the user allows.
        folder: the folder that it may read, in which it is started; None: none.

    Raises:
        UsageError: the tool isn't set up, or there is no process.
        BoxError: the program has ended too early, or its lines can't be used.
    """
    tool.check()
    nonce = secrets.token_hex(16)
    deadline = time.monotonic() + options.timeout_s
    is_python = program.suffix == ".py"
    node = [] if is_python else [installed("node")]
    reads = (str(tool.folder), str(program.parent), *node, *([str(folder)] if folder else ()))
    sandbox = Sandbox(read=reads, network=options.network)
    try:
        child = Child(CHILD, shortest_s=1.0, sandbox=sandbox, memory_bytes=MEMORY_BYTES)
    except OSError as error:
        raise UsageError(f"no process can be started: {error}", code="importer") from None
    try:
        start = {
            "command": [*(node or [str(tool.python), "-I", "-B"]), str(program)],
            "folder": None if folder is None else str(folder),
            "variables": _variables(options),
            "input": {**request, "nonce": nonce},
        }
        answer = child.ask(start, timeout_s=START_S)
        if "failed" in answer:
            raise BoxError(f"can't be started: {answer['failed']}")
        yield from _lines(child, nonce, deadline)
    except (ChildEndedError, UnreadableAnswerError) as error:
        raise BoxError(str(error)) from None
    finally:
        child.end()


def _variables(options: BoxOptions) -> dict[str, str]:
    offline = "0" if options.network else "1"
    return {
        "HF_HOME": "$HOME/huggingface",
        "HF_DATASETS_OFFLINE": offline,
        "HF_HUB_OFFLINE": offline,
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "PYTHONHASHSEED": "0",
    }


def _lines(child: Child, nonce: str, deadline: float) -> Iterator[JsonObject]:
    lines = BoundedLines(LINE.max_bytes)
    size = 0
    while True:
        left = deadline - time.monotonic()
        answer = child.ask({"next": True}, timeout_s=max(1.0, left), limits=BLOCK)
        if answer.get("code") is not None:
            lines.end()
            if answer["code"] != 0:
                raise BoxError(f"ended with exit code {answer['code']}")
            return
        block = str(answer.get("text", "")).encode("utf-8", "replace")
        size += len(block)
        if size > MAX_BYTES:
            raise BoxError(f"wrote more than {MAX_BYTES // 1_000_000} MB")
        for line in lines.feed(block):
            yield parse_answer(_own(line, nonce), LINE)


def _own(line: bytes, nonce: str) -> bytes:
    """Return a line without its nonce.

    Raises:
        BoxError: it has none: it isn't the program's.
    """
    beginning = f"{nonce} ".encode()
    if not line.startswith(beginning):
        raise BoxError("wrote a line that isn't its own: something else uses its pipe")
    return line.removeprefix(beginning)
