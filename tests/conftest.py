"""What all tests share."""

import gc
import os
from collections.abc import Generator, Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest
from hypothesis import settings
from support.examples import examples
from support.folders import workspace
from support.known_secrets import knowing
from support.old_click import IS_OLD, read_both_streams
from support.slow import SLOW

pytest_plugins = ["pytester"]
TESTS = Path(__file__).parent
TIMEOUT_S = 300
"""For a test that hangs: it fails and shows where, the others go on."""
# pytest, where a test starts it: plugins that lve has nothing to do with take a third of its time.
FEWER_PLUGINS = "-p no:anyio -p no:hypothesispytest -p no:platformdirs -p no:rerunfailures"

# How long an example takes depends on what else the machine does.
settings.register_profile("untimed", deadline=None, max_examples=examples(100))
settings.load_profile("untimed")
if IS_OLD:
    read_both_streams()


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Limit what hangs. In pyproject.toml it would make everybody who runs `pytest repository` need
    pytest-timeout."""
    if config.option.timeout is None:
        config.option.timeout = TIMEOUT_S


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="leave out what tests/slow.txt names")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Whether a file is left out; None leaves that to pytest."""
    if not config.getoption("quick") or not collection_path.is_relative_to(TESTS):
        return None
    place = collection_path.relative_to(TESTS).as_posix()
    return True if any(fnmatch(place, slow) for slow in SLOW) else None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return how many workers `-n auto` starts: more than cores, since tests of processes and
    servers wait for a third of their time. Of quick tests fewer wait."""
    cores = os.cpu_count() or 1
    return cores + (cores + 1) // 2 if config.getoption("quick") else 2 * cores


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect no garbage while tests are collected: nearly nothing of them is, and each time the
    collector looks through all that there are so far. Afterwards it leaves them alone."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name packed bytes by their argument: a time stamp in them would give each worker other ids,
    and xdist runs nothing then."""
    return argname if isinstance(val, bytes) and not val.isascii() else None


@pytest.fixture(scope="module", autouse=True)
def _little_to_look_through() -> None:
    """Take thousands of tests, and what was imported so far, out of what each collection of garbage
    looks through."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _no_secrets_of_other_tests() -> Iterator[None]:
    with knowing():
        yield


@pytest.fixture(scope="session", autouse=True)
def _fewer_plugins() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTEST_ADDOPTS", FEWER_PLUGINS)
        yield


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> Iterator[None]:
    """Have torch compute tiny models in one thread: several spend most of their time waiting for
    each other, and take five times as much."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_NUM_THREADS", "1")
        yield


@pytest.fixture
def pytester(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """pytester begins with an empty PYTEST_ADDOPTS."""
    monkeypatch.setenv("PYTEST_ADDOPTS", FEWER_PLUGINS)
    return pytester


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty workspace that one stands in, with a key for any server of ours."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(workspace(tmp_path))
    return tmp_path
