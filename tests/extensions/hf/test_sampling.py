"""Model args and options of local models."""

from __future__ import annotations

from typing import Any

import pytest

from lve.errors import PermanentModelError, SettingsError
from lve.extensions.hf.sampling import HFOptions, Sampling, hf_options, sampling


def test_args_become_a_sampling() -> None:
    args = {"temperature": 0, "max_completion_tokens": 9, "stop": "\n", "seed": 4, "n": 1}
    assert sampling(args) == Sampling(temperature=0, max_tokens=9, stop=("\n",), seed=4)
    assert sampling({"stop": ["a", "b"], "top_p": None}) == Sampling(stop=("a", "b"))


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({"temprature": 1}, "did you mean `temperature`"),
        ({"logit_bias": {}}, "it has temperature"),
        ({"temperature": "hot"}, "a number from 0 to 100 as temperature, not 'hot'"),
        ({"temperature": float("nan")}, "not nan"),
        ({"max_tokens": 0}, "from 1"),
        ({"max_tokens": 1.5}, "a whole number"),
        ({"max_tokens": True}, "not True"),
        ({"top_p": 1.1}, "from 0 to 1"),
        ({"stop": [""]}, "a text or a list of texts"),
        ({"n": 2}, "gives one answer"),
    ],
)
def test_args_that_cannot_be_are_refused(args: dict[str, Any], said: str) -> None:
    with pytest.raises(PermanentModelError, match=said) as caught:
        sampling(args)
    assert caught.value.kind == "bad_request"


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("temperature", 0.0, 100.0),
        ("top_p", 0.0, 1.0),
        ("top_k", 1, 1 << 30),
        ("min_p", 0.0, 1.0),
        ("repetition_penalty", 0.01, 100.0),
        ("max_tokens", 1, 1 << 30),
        ("seed", -(1 << 63), (1 << 63) - 1),
    ],
)
def test_a_number_is_within_its_limits(name: str, least: float, most: float) -> None:
    for number in (least, most):
        assert getattr(sampling({name: number}), name) == number
    for number in (least - 1, most + 1):
        with pytest.raises(PermanentModelError, match=f" as {name}, not "):
            sampling({name: number})


def test_options() -> None:
    assert hf_options({"device": "cpu", "batch_size": 4}, "m") == HFOptions("cpu", batch_size=4)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"devise": "cpu"}, "hf has no option 'devise': did you mean `device`"),
        ({"batch_size": 0}, "batch_size is a number from 1"),
        ({"batch_size": True}, "not True"),
        ({"batch_tokens": "many"}, "not 'many'"),
        ({"device": 0}, "device is a text"),
        ({"pooling": "max"}, "mean, cls or last"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        hf_options(options, "m")
