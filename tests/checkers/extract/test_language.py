"""The language of a text."""

from __future__ import annotations

import pytest

from lve.checkers.extract.language import LANGUAGES, language_of

GREETINGS = {
    "ja": "これはペンです。",
    "ko": "안녕하세요, 여러분.",
    "zh": "今天天气很好。",
    "th": "สวัสดีครับ",
    "hi": "नमस्ते, आप कैसे हैं?",
    "he": "שלום לכולם",
    "el": "Καλημέρα σε όλους",
    "fa": "چگونه می‌گوییم پنج",
    "ar": "مرحبا بالجميع",
    "uk": "Її ім'я є гарне",
    "ru": "Доброе утро всем",
    "en": "The cat is on the roof.",
    "de": "Die Katze ist auf dem Dach.",
    "fr": "Le chat est sur le toit.",
    "es": "El gato está en la mesa.",
    "it": "Il gatto è nel giardino.",
    "pt": "O gato não está em casa.",
    "nl": "De kat is op het dak.",
    "sv": "Katten är inte på taket och det är jag.",
    "da": "Katten er ikke på taget af huset.",
    "pl": "Kot jest na dachu.",
    "tr": "Kedi çok güzel bir hayvan ve bu ev.",
    "vi": "Con mèo là của tôi và không được.",
    "no": "Jeg vet ikke, men katten er ikke på taket nå.",
    "cs": "Kočka je na střeše a není to problém.",
    "hu": "A macska nem a tetőn van, hanem egy házban.",
    "ro": "Pisica nu este în casă și nu știu de ce.",
    "tl": "Ang pusa ay nasa bubong ng bahay.",
    "ur": "بلی چھت پر ہے اور یہ گھر میں نہیں ہے۔",
    "sr": "Мачка није на крову и то је добро, али не знам.",
    "id": "Kucing itu tidak ada di rumah yang ini.",
}


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_sentence_has_the_language_that_it_is_written_in(code: str) -> None:
    assert language_of(GREETINGS[code]) == code


def test_of_a_word_or_two_nobody_knows_it() -> None:
    assert language_of("Katze") is None
    assert language_of("") is None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("```python\nprint('der die das und')\n```\nIt prints the text.", "en"),
        ("Das Buch: https://en.wikipedia.org/wiki/The_Lord_of_the_Rings und mehr", "de"),
        ("मला हे माहित नाही.", "mr"),
        ("मुझे नहीं पता।", "hi"),
        ("यो मलाई थाहा छैन।", "ne"),
        ("آسٹریلیا کا دارالحکومت کینبرا ہے۔", "ur"),
        ("Столица — Канберра, а не Сидней.", "ru"),
        ("Столиця — Канберра, а не Сідней.", "uk"),
        ("Столицата на Австралия е Канбера.", "bg"),
        ("Dobrý deň, rád vám pomôžem s vašou otázkou.", "sk"),
        ("Dobrý den, rád vám pomohu s vaším dotazem.", "cs"),
        ("Die hoofstad is Canberra en nie Sydney nie.", "af"),
        ("En tiedä, mutta se on niin.", "fi"),
        ("123", None),
    ],
)
def test_neighbours_and_what_is_no_prose(text: str, code: str | None) -> None:
    assert language_of(text) == code


def test_a_short_text_is_in_the_language_that_is_expected_if_it_may_be() -> None:
    assert language_of("Nej.", "da") == "da"
    assert language_of("Nej.", "sv") == "sv"
    assert language_of("Nej.", "de") != "de"
    danish = "Det er en by, og den er ikke stor."
    assert language_of(danish, "da") == "da"
    assert language_of(danish, "sv") != "sv"
    assert language_of("Не знаю, а она да.", "uk") == "ru"
