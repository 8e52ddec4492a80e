"""All encodings of a secret."""

from __future__ import annotations

import base64
import json
import string
from html.entities import html5

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.spelled_keys import SPELLINGS

from lve.secrets.redaction import Redactor
from lve.secrets.secret_values import MIN_LENGTH, REDACTED
from lve.secrets.spellings import readings, spellings

SECRETS = ("sk-proj-aB3dE/f+gH1jK2lM3nO4pQ5", "AKIAIOSFODNN7EXAMPLE", "it's<a>long&word;d%21x")
ODD = "p\"a\\s's<w>o&r;d%21-naïve"


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_spelling_is_taken_out(secret: str, spelling: str) -> None:
    said = SPELLINGS[spelling](secret)
    redacted = Redactor([secret])(f"The key is {said}, they say.")
    assert REDACTED in redacted
    assert said[7:-7] not in redacted


@pytest.mark.parametrize("secret", [*SECRETS, ODD])
def test_json_of_json_stays_json(secret: str) -> None:
    """A journal's line is redacted as JSON, however often its texts were written as JSON before."""
    text = f"before {secret} after \\ {json.dumps(secret)}"
    for _ in range(4):
        text = json.dumps({"text": text})
        assert secret not in (redacted := Redactor([secret])(text))
        assert REDACTED in json.loads(redacted)["text"]


@given(
    st.text("abcXYZ019+/-_=ñ", min_size=MIN_LENGTH), st.binary(max_size=9), st.binary(max_size=9)
)
def test_base64_around_a_secret(secret: str, before: bytes, after: bytes) -> None:
    """A server may encode more than the secret: three alignments, two alphabets, padded or not;
    in base32, five."""
    encoders = (base64.standard_b64encode, base64.urlsafe_b64encode, base64.b32encode)
    for encode in encoders:
        said = encode(before + secret.encode() + after).decode()
        assert REDACTED in Redactor([secret])(said)
        assert REDACTED in Redactor([secret])(said.rstrip("="))


def test_there_are_not_too_many() -> None:
    """Each costs time at every start, and in texts that have its rare characters."""
    assert len(set(spellings(SECRETS[0]))) < 110


@given(st.text("a\\b", max_size=30))
def test_a_reading_knows_where_its_text_stood(text: str) -> None:
    itself, *others = readings(text)
    assert (itself.text, itself.place(len(text))) == (text, len(text))
    for other in others:
        assert "\\\\" not in other.text
        assert other.place(0) == 0
        assert other.place(len(other.text)) == len(text)
        for at, letter in enumerate(other.text):
            there = text[other.place(at) : other.place(at + 1)]
            assert set(there) == {letter}
            assert len(there) == 1 or letter == "\\"


@pytest.mark.parametrize("sign", sorted({*string.punctuation} - {"-", "~"}))
def test_each_sign_has_its_name_in_html(sign: str) -> None:
    names = {name for name, letter in html5.items() if letter == sign and name.endswith(";")}
    secret = f"a secret{sign}with signs{sign}in it"
    spelled = {text for text in spellings(secret) if "&" in text and "&#" not in text}
    assert any(secret.replace(sign, f"&{name}") in spelled for name in names), spelled
