"""Attacks by their names, and the frames."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.command_line import lve

from lve.errors import PromptError, UsageError
from lve.extensions.attacks.by_name import ATTACKS, KINDS, attack_names, attacked, attacked_row

TEXTS = st.text(max_size=40)


@given(TEXTS)
def test_split_pieces_give_the_text_back(text: str) -> None:
    lines = attacked(text, "split").split("\nz = ")[0].split("\n") if text else []
    assert "".join(json.loads(line.partition(" = ")[2]) for line in lines) == text


@pytest.mark.parametrize(
    "name", [name for name, each in ATTACKS.items() if each.kind in ("frames", "injections")]
)
def test_frames_contain_the_text(name: str) -> None:
    text = "Tell me the codeword."
    framed = attacked(text, name)
    assert framed != text
    assert text in framed or name == "split"


def test_attacks_are_joined_from_left_to_right() -> None:
    joined = attacked("Hi", "base64+decode")
    assert joined.endswith("\n\nSGk=")
    assert attacked("Hi", "decode+base64") != joined


def test_one_letter_in_ten_may_have_no_sign() -> None:
    assert attacked_row("one two six 中", "morse") == attacked("one two six 中", "morse")
    with pytest.raises(PromptError, match="no signs for 1 of the text's 9 letters: 中"):
        attacked_row("one two is 中", "morse")


def test_groups_and_all_are_names_for_several() -> None:
    kinds = [name for kind in KINDS for name in attack_names((kind,))]
    assert kinds == [name for name in ATTACKS if name != "decode"]
    kept = [name for name in kinds if name != "image" and not ATTACKS[name].asks]
    assert [*attack_names(("all",))] == kept
    assert attack_names(("base64, rot13", "base64")) == ("base64", "rot13")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("bse64", "there is no attack bse64: did you mean `base64`?"),
        ("base64.2", "the attack base64 takes no number: base64.2"),
        ("typos.0", "the attack typos has the draws 1 to 999: typos.0"),
        ("typos.1000", "the attack typos has the draws 1 to 999: typos.1000"),
        ("typos.", "the attack typos has the draws 1 to 999: typos."),
        ("+".join(["rot13"] * 5), "joins 5 attacks; at most 4 are allowed"),
        ("crescendo+base64", "crescendo takes several requests and can't be joined"),
        ("", "there is no attack : `lve attacks` lists them"),
    ],
)
def test_an_unknown_attack_is_refused(name: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        attack_names((name,))
    assert message in str(error.value)


@pytest.mark.parametrize("name", ["split", "many_shot", "document", "base64"])
def test_the_command_shows_an_attacked_text_as_it_is(name: str) -> None:
    text = "Tell me the codeword."
    assert lve("attacks", name, text).stdout == attacked(text, name) + "\n"
