"""The environments of other tools: virtual environments below the user's cache folder, which may
have packages of npm, too."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from lve.child.child_command import child_environment
from lve.errors import UsageError
from lve.escape import tail
from lve.named_tuples import NamedTuple

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
        platform = _run([program("node"), "-p", "`${process.platform}-${process.arch}`"]).strip()
        modules = [module.replace("PLATFORM", platform) for module in tool.modules]
        place = ("--prefix", str(folder), f"--before={tool.before}")
        _run([program("npm"), "install", *_NPM_OPTIONS, *place, *modules], _NPM_REGISTRY)
    (folder / _DONE).touch()
    return True


def program(name: str) -> str:
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
