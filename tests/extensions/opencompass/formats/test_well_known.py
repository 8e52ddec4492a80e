"""Meta templates by name."""

from __future__ import annotations

import pytest

from lve.errors import TemplateError
from lve.extensions.opencompass.formats.well_known import META_TEMPLATES, resolve_meta_template


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("lama2", "lm", "there is no meta template 'lama2'; there are api, hf-chat, chatml"),
        ("lama2", "api", "there is no meta template 'lama2'; there are api, hf-chat, chatml"),
        ("api", "lm", "'api' is for chat messages: use `kind: api`"),
        ("hf-chat", "lm", "'hf-chat' is for chat messages: use `kind: api`"),
    ],
)
def test_a_name_must_be_one_for_the_kind_of_model(name: str, kind: str, message: str) -> None:
    with pytest.raises(TemplateError, match=message) as caught:
        resolve_meta_template(name, kind)
    assert caught.value.stage == "model"


@pytest.mark.parametrize(
    ("name", "kind", "dialect", "roles"),
    [
        ("llama2", "lm", "opencompass", ["HUMAN", "BOT"]),
        ("llama2", "api", "opencompass", ["SYSTEM", "HUMAN", "BOT"]),  # a chat server's own
        ("hf-chat", "api", "opencompass", ["HUMAN", "SYSTEM", "BOT"]),
        ("hf-chat", "api", "aisbench", ["HUMAN", "BOT"]),
    ],
)
def test_the_roles_of_a_round(name: str, kind: str, dialect: str, roles: list[str]) -> None:
    found = resolve_meta_template(name, kind, dialect)
    assert [item["role"] for item in found["round"]] == roles


def test_one_gets_a_copy() -> None:
    resolve_meta_template("chatml", "lm")["round"].clear()
    assert META_TEMPLATES["chatml"]["round"]


def test_what_is_no_name_is_left_as_it_is() -> None:
    given = {"round": []}
    assert resolve_meta_template(given, "api") is given
