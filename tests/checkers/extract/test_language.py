"""The language of a text."""

from __future__ import annotations

import time
import unicodedata

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
    "fi": "Kissa ei ole katolla, vaan talon edessä.",
    "sk": "Mačka je na streche a nie je to žiadny problém.",
    "ca": "El gat no és al jardí, és a la teulada amb nosaltres.",
    "af": "Die kat is nie op die dak nie, maar in die huis.",
    "et": "Kass ei ole katusel, vaid maja ees ja magab.",
    "lv": "Kaķis nav uz jumta, bet gan pie mājas durvīm.",
    "lt": "Katė nėra ant stogo, ji yra prie namo durų.",
    "sl": "Mačka ni na strehi, ampak je pred hišo in spi.",
    "hr": "Mačka nije na krovu, nego je ispred kuće i spava.",
    "sq": "Macja nuk është mbi çati, por është para shtëpisë.",
    "is": "Kötturinn er ekki á þakinu heldur fyrir framan húsið.",
    "ga": "Níl an cat ar an díon, tá sé os comhair an tí.",
    "cy": "Nid yw'r gath ar y to, mae hi o flaen y tŷ.",
    "eu": "Katua ez dago teilatuan, etxearen aurrean baizik.",
    "eo": "La kato ne estas sur la tegmento, sed antaŭ la domo.",
    "sw": "Paka hayuko juu ya paa, yuko mbele ya nyumba.",
    "az": "Pişik damın üstündə deyil, evin qabağındadır.",
    "bg": "Котката не е на покрива, а пред къщата и спи.",
    "be": "Котка не на даху, яна спіць перад домам.",
    "mk": "Мачката не е на покривот, туку е пред куќата.",
    "kk": "Мысық шатырда емес, ол үйдің алдында ұйықтап жатыр.",
    "mn": "Муур дээвэр дээр биш, байшингийн өмнө унтаж байна.",
    "mr": "मांजर छतावर नाही, ती घरासमोर आहे.",
    "bn": "বিড়ালটি ছাদে নেই।",
    "pa": "ਬਿੱਲੀ ਛੱਤ ਉੱਤੇ ਨਹੀਂ ਹੈ।",
    "gu": "બિલાડી છત પર નથી.",
    "ta": "பூனை கூரையில் இல்லை.",
    "te": "పిల్లి పైకప్పు మీద లేదు.",
    "kn": "ಬೆಕ್ಕು ಛಾವಣಿಯ ಮೇಲಿಲ್ಲ.",
    "ml": "പൂച്ച മേൽക്കൂരയിലല്ല.",
    "si": "පූසා වහලය මත නැත.",
    "lo": "ແມວບໍ່ຢູ່ເທິງຫຼັງຄາ.",
    "my": "ကြောင်သည် အမိုးပေါ်တွင် မရှိပါ။",
    "ka": "კატა სახურავზე არ არის.",
    "am": "ድመቷ ጣሪያው ላይ አይደለችም።",
    "km": "ឆ្មាមិននៅលើដំបូលទេ។",
    "hy": "Կատուն տանիքին չէ։",
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


def test_letters_in_two_pieces_are_read_as_one() -> None:
    text = unicodedata.normalize("NFD", "Mọi người sinh ra đều được tự do.")
    assert language_of(text) == "vi"


def test_neighbours_are_told_apart_although_one_is_expected() -> None:
    danish = "Enhver har ret til liv, frihed og personlig sikkerhed."
    norwegian = "Enhver har rett til liv, frihet og personlig sikkerhet."
    assert language_of(danish, "no") == "da"
    assert language_of(norwegian, "da") == "no"
    portuguese = "Todo indivíduo tem direito à vida, à liberdade e à segurança pessoal."
    spanish = "Todo individuo tiene derecho a la vida, a la libertad y a la seguridad."
    assert language_of(portuguese, "es") == "pt"
    assert language_of(spanish, "pt") == "es"


def test_a_word_that_answers_is_in_its_languages_and_no_other() -> None:
    assert language_of("Ja.", "de") == "de"
    assert language_of("Oui", "en") == "fr"
    assert language_of("Sí, claro", "es") == "es"
    assert language_of("Hello", "de") == "en"


def test_a_long_text_takes_no_longer_than_its_beginning() -> None:
    began = time.process_time()
    assert language_of("The cat is on the roof. " * 20_000) == "en"
    assert time.process_time() - began < 1


def test_a_short_text_is_in_the_language_that_is_expected_if_it_may_be() -> None:
    assert language_of("Nej.", "da") == "da"
    assert language_of("Nej.", "sv") == "sv"
    assert language_of("Nej.", "de") != "de"
    danish = "Det er en by, og den er ikke stor."
    assert language_of(danish, "da") == "da"
    assert language_of(danish, "sv") != "sv"
    assert language_of("Не знаю, а она да.", "uk") == "ru"


GERMAN = "Ich weiß nicht, was soll es bedeuten, dass ich so traurig bin"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (f'She wrote to him: "{GERMAN}"', "en"),
        (f'"{GERMAN}", she wrote to him', "en"),
        (f'So: "{GERMAN}"', "de"),  # too few words of its own
        (f'"{GERMAN}"', "de"),
        (f"She wrote to him that is so: {GERMAN}", "de"),  # not quoted
    ],
)
def test_what_is_quoted_beside_other_words_may_be_in_any_language(text: str, code: str) -> None:
    assert language_of(text) == code
