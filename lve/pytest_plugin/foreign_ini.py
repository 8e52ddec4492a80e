"""Recognizes an ini file that came with the tests, whose settings for lve must be ignored.

pytest reads the nearest ini file above the given paths. So `pytest contributed/x` reads
`contributed/x/pytest.ini`, makes that folder its root, and adds the file's `addopts` to the command
line. Only the user's own ini file and command line may set options of lve.
"""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest

INI_PREFIX = "lve_"
OPTION_PREFIX = "--lve-"


def has_foreign_ini(config: pytest.Config) -> bool:
    """Whether the session's ini file is foreign: outside of the current folder and its parents, and
    not named with `-c`."""
    ini = config.inipath
    if ini is None:
        return False
    here = _real(config.invocation_params.dir)
    return not (here.is_relative_to(_real(ini.parent)) or _is_named(config, ini))


def base_folder(config: pytest.Config) -> Path:
    """Return the folder that relative paths start from: pytest's root if the current folder is in
    it, else the current folder."""
    here = config.invocation_params.dir
    return config.rootpath if _real(here).is_relative_to(_real(config.rootpath)) else here


def typed_options(config: pytest.Config, declare: Sequence[tuple[str, str]]) -> argparse.Namespace:
    """Return the options of the user's command line and `PYTEST_ADDOPTS`, without the `addopts` of
    an ini file. `override_ini` has the values of `-o`.

    Args:
        config: pytest's configuration.
        declare: each option and its action in argparse.
    """
    # The same rules as pytest's: no abbreviations, and `@FILE` contains arguments.
    parser = argparse.ArgumentParser(
        add_help=False, allow_abbrev=False, fromfile_prefix_chars="@", exit_on_error=False
    )
    for option, action in declare:
        parser.add_argument(option, action=action, default=None)
    parser.add_argument("-o", "--override-ini", action="append", default=[])
    return parser.parse_known_args(_own_arguments(config))[0]


def ignored_message(config: pytest.Config) -> str | None:
    """Return the message that settings of a foreign ini file are ignored; None if there are
    none."""
    if config.inipath is None or not has_foreign_ini(config):
        return None
    added = [word for word in config.getini("addopts") if word.startswith(OPTION_PREFIX)]
    settings = [name for name in _names_in(config.inipath) if name.startswith(INI_PREFIX)]
    if not added and not settings:
        return None
    return (
        f"lve: {config.inipath} came with the tests, so its lve_* and --lve-* settings are ignored "
        "(to use them, name the file with -c or start pytest in its folder)"
    )


def _names_in(ini: Path) -> list[str]:
    """Return the words before `=` in an ini file: the names of its settings, in any format."""
    text = ini.read_text(encoding="utf-8", errors="replace")  # pytest has read it, so it's readable
    return [line.partition("=")[0].strip(" \t\"'") for line in text.splitlines() if "=" in line]


def _is_named(config: pytest.Config, ini: Path) -> bool:
    """Whether the user, and not only `addopts`, names the ini file with `-c FILE`."""
    path_as_typed = config.getoption("inifilename", None)
    if not path_as_typed or _real(config.invocation_params.dir / path_as_typed) != _real(ini):
        return False
    return any(word.endswith(str(path_as_typed)) for word in _own_arguments(config))


def _own_arguments(config: pytest.Config) -> list[str]:
    more = shlex.split(os.environ.get("PYTEST_ADDOPTS", ""))
    return [*more, *(str(word) for word in config.invocation_params.args)]


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
