from __future__ import annotations

import copy
import pickle

import pytest

from lve.models.http.endpoint import Endpoint
from lve.models.http.keys import Secret

KEY = "sk-do-not-show-me"


@pytest.mark.parametrize("show", [repr, str, "{}".format, "{!r}".format, ascii])
def test_no_way_of_printing_shows_it(show: object) -> None:
    secret = Secret(KEY)
    endpoint = Endpoint("openai", "http://x/v1", "m", secret)
    assert callable(show)
    for value in (secret, [secret], {"key": secret}, endpoint, endpoint.identity):
        assert KEY not in show(value)


def test_it_comes_out_where_it_is_asked_for() -> None:
    assert Secret(KEY).reveal() == KEY


@pytest.mark.parametrize("leak", [pickle.dumps, copy.deepcopy])
def test_it_can_not_be_written_to_a_file(leak: object) -> None:
    assert callable(leak)
    with pytest.raises(TypeError, match="can't be pickled"):
        leak(Secret(KEY))


def test_it_blots_itself_out_but_not_words_of_the_language() -> None:
    assert Secret(KEY).hide(f"key={KEY}.") == "key=***."
    assert Secret("none").hide("none of it") == "none of it"


@pytest.mark.parametrize(("length", "hidden"), [(1, False), (7, False), (8, True), (9, True)])
def test_short_keys_are_taken_for_words(length: int, hidden: bool) -> None:
    key = "k" * length
    assert Secret(key).hide(f"[{key}]") == ("[***]" if hidden else f"[{key}]")
