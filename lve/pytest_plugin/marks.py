"""Turns a test's tags, `skip` and `expect` into pytest marks."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable

import pytest

from lve.escape import escape_line
from lve.pytest_plugin.item_protocol import LveItem, Marked
from lve.pytest_plugin.verdicts import KNOWN_WEAKNESS, InstanceFailed
from lve.spec.spec import Spec

PLAIN_TAG_VALUES = {"yes": True, "no": False}
RERUNS = "reruns"
_MARKS: pytest.StashKey[dict[Hashable, tuple[pytest.MarkDecorator, ...]]] = pytest.StashKey()
"""A cache, as most tests share them: tags, `skip` and `expect` -> marks."""
_REGISTERED: pytest.StashKey[dict[str, str]] = pytest.StashKey()
"""Registered mark -> the sign after its name in the ini: `(` if it takes arguments, else `:`."""


def marks_of(spec: Spec, config: pytest.Config) -> tuple[pytest.MarkDecorator, ...]:
    """Return the marks of a test: its tags, `skip`, and strict `xfail` for `expect: fail`.

    A tag becomes `name_value` (`severity_high`), a yes/no tag its name (`jailbreak`) or nothing.
    Every mark is registered, so that `--strict-markers` accepts it.
    """
    marks = config.stash.setdefault(_MARKS, {})
    key = (spec.tags, spec.skip, spec.expect.kind)
    if key not in marks:
        marks[key] = _make_marks(spec, config)
    return marks[key]


def _make_marks(spec: Spec, config: pytest.Config) -> tuple[pytest.MarkDecorator, ...]:
    words = (_word(tag.name, tag.value) for tag in spec.tags)
    marks = [_mark(word, config) for word in words if word]
    if spec.skip is not None:
        marks.append(pytest.mark.skip(reason=escape_line(spec.skip)))
    if spec.expect.kind == "fail":
        marks.append(pytest.mark.xfail(reason=KNOWN_WEAKNESS, strict=True, raises=InstanceFailed))
    return tuple(marks)


def _word(name: str, value: str) -> str | None:
    plain = PLAIN_TAG_VALUES.get(value.lower())
    if plain is False:
        return None
    word = re.sub(r"\W+", "_", name if plain else f"{name}_{value}").strip("_")
    return word if word.isidentifier() else None


def _mark(word: str, config: pytest.Config) -> pytest.MarkDecorator:
    registered = _registered(config)
    # A tag must have no effect; marks with arguments (skip, xfail, timeout, ...) have one.
    if registered.get(word) == "(":
        word = f"tag_{word}"
    if word not in registered:
        config.addinivalue_line("markers", f"{word}: tests of models with this tag (lve)")
        registered[word] = ":"
    mark: pytest.MarkDecorator = getattr(pytest.mark, word)
    return mark


def _registered(config: pytest.Config) -> dict[str, str]:
    if _REGISTERED not in config.stash:
        lines = (re.match(r"(\w+)\s*(\(?)", line) for line in config.getini("markers"))
        config.stash[_REGISTERED] = {m[1]: m[2] or ":" for m in lines if m}
    return config.stash[_REGISTERED]


def refuse_reruns(config: pytest.Config, items: Iterable[LveItem]) -> None:
    """Refuse pytest-rerunfailures for lve's items.

    Raises:
        pytest.UsageError: reruns are configured.
    """
    if not config.pluginmanager.hasplugin("rerunfailures") and not config.getoption(RERUNS, None):
        return
    everywhere = config.getoption(RERUNS, None) or _ini(config, RERUNS)
    if everywhere or any(map(Marked(lambda mark: mark.name == "flaky"), items)):
        raise pytest.UsageError(
            "reruns make a test of a model look better than it is: the pass rate over "
            "'again until it passes' is biased. Use --lve-repeats N, or `expect: {pass_rate: ...}` "
            "in the test, and leave out --reruns (or run the other tests apart: -p no:lve)"
        )


def _ini(config: pytest.Config, name: str) -> int:
    try:
        return int(config.getini(name) or 0)
    except (ValueError, TypeError, KeyError):  # no plugin has declared it
        return 0
