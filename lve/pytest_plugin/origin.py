"""Whose word counts in a pytest session: what the user typed, and the folder that they stand in.

pytest takes the nearest ini file above the paths that it is given. `pytest contributed/x` so takes
`contributed/x/pytest.ini`, makes that folder its root, and adds the file's `addopts` to the command
line. What such a file says of tests of models doesn't count: it came with the tests.
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
    """Whether the session's ini file lies neither in the folder that the user stands in nor above
    it, and wasn't named with `-c` either."""
    ini = config.inipath
    if ini is None:
        return False
    here = _real(config.invocation_params.dir)
    return not (here.is_relative_to(_real(ini.parent)) or _is_named(config, ini))


def base_of(config: pytest.Config) -> Path:
    """Return the folder that relative paths start at: pytest's root where the user stands in or
    below it, otherwise where they stand."""
    here = config.invocation_params.dir
    return config.rootpath if _real(here).is_relative_to(_real(config.rootpath)) else here


def typed(config: pytest.Config, declare: Sequence[tuple[str, str]]) -> argparse.Namespace:
    """Return the options that the user typed (or has in `PYTEST_ADDOPTS`), without those that come
    from an ini file's `addopts`, and as `override_ini` what `-o` says.

    Args:
        config: of the session.
        declare: each option and the action that argparse has for it.
    """
    # As pytest reads them: no abbreviations, `@FILE` has more.
    parser = argparse.ArgumentParser(
        add_help=False, allow_abbrev=False, fromfile_prefix_chars="@", exit_on_error=False
    )
    for option, action in declare:
        parser.add_argument(option, action=action, default=None)
    parser.add_argument("-o", "--override-ini", action="append", default=[])
    return parser.parse_known_args(_own_arguments(config))[0]


def ignored(config: pytest.Config) -> str | None:
    """Return the line that says what a foreign ini file doesn't decide; None where it tries
    nothing."""
    if config.inipath is None or not has_foreign_ini(config):
        return None
    added = [word for word in config.getini("addopts") if word.startswith(OPTION_PREFIX)]
    named = [name for name in _names_in(config.inipath) if name.startswith(INI_PREFIX)]
    if not added and not named:
        return None
    return (
        f"lve: {config.inipath} came with the tests: its lve_* and --lve-* settings don't count "
        "(name it with -c, or stand in its folder, to use it)"
    )


def _names_in(ini: Path) -> list[str]:
    """Return the words of an ini file that may be names of settings, whatever its format."""
    text = ini.read_text(encoding="utf-8", errors="replace")  # pytest could read it, too
    return [line.partition("=")[0].strip(" \t\"'") for line in text.splitlines() if "=" in line]


def _is_named(config: pytest.Config, ini: Path) -> bool:
    """Whether the user's own words name the ini file: `-c FILE`, which `addopts` may have, too."""
    given = config.getoption("inifilename", None)
    if not given or _real(config.invocation_params.dir / given) != _real(ini):
        return False
    return any(word.endswith(str(given)) for word in _own_arguments(config))


def _own_arguments(config: pytest.Config) -> list[str]:
    more = shlex.split(os.environ.get("PYTEST_ADDOPTS", ""))
    return [*more, *(str(word) for word in config.invocation_params.args)]


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
