"""The search for spellings by their rarest characters finds what a plain search finds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lve.secrets.spellings import grouped, is_any_in, may_be_in, spelled_rarest, spellings

SECRETS = st.text(min_size=8, max_size=20) | st.text("aAzZ0-9%&\\", min_size=8, max_size=20)


@given(st.lists(SECRETS, max_size=3), st.data(), st.text(max_size=9), st.text(max_size=9))
def test_it_finds_what_is_there(
    secrets: list[str], data: st.DataObject, before: str, after: str
) -> None:
    rarest = {text: rare for secret in secrets for text, rare in spelled_rarest(secret).items()}
    groups = grouped(rarest)
    for secret in secrets:
        spelling = data.draw(st.sampled_from(list(spellings(secret))))
        assert is_any_in(before + spelling + after, groups)
        assert may_be_in(before + spelling + after, groups)
    text = before + after
    assert is_any_in(text, groups) == any(spelling in text for spelling in rarest)
    assert may_be_in(text, groups) >= is_any_in(text, groups)


def test_each_spelling_has_four_of_its_own_characters() -> None:
    for secret in ("sk-proj-aB3dE/f+gH1jK2", "ññññññññ", "aaaaaaaa"):
        for spelling, rare in spelled_rarest(secret).items():
            assert len(rare) == 4
            assert set(rare) <= set(spelling)


def test_nothing_is_in_a_text_without_spellings() -> None:
    assert not is_any_in("any text", grouped({}))
    assert not may_be_in("any text", grouped({}))


def test_a_text_with_all_rare_characters_only_may_have_a_spelling() -> None:
    groups = grouped(spelled_rarest("sk-proj-aB3dE/f+gH1jK2"))
    letters = "".join(set("sk-proj-aB3dE/f+gH1jK2"))
    assert may_be_in(letters, groups)
    assert not is_any_in(letters, groups)
    assert not may_be_in("a plain text", groups)
