"""What answers of all shapes say: numbers, units, options, texts.

Each text has one thing that others lack: a sign, a separator, a unit, a way to name an option.
"""

from __future__ import annotations

from collections import defaultdict

from support.recorded_calls import Calls, changed, grid, record, rows_of, texts

from lve.checkers.extract import bare_text, extractors, word_counts
from lve.checkers.extract import first_or_last_number as numbers
from lve.checkers.extract.labels import label_mentions, letter_mentions
from lve.checkers.extract.language import language_of
from lve.checkers.extract.numerals.final_number import final_numbers, final_quantities, number_of
from lve.checkers.extract.options import last_option, option
from lve.checkers.extract.quantities.han_numbers import han_value
from lve.checkers.extract.quantities.number_words import with_digits
from lve.checkers.extract.quantities.quantity import quantities_in
from lve.checkers.extract.quantities.spelled_numbers import spelled_value
from lve.checkers.extract.quantities.units import converted, read_units, units_by_name, units_named
from lve.checkers.extract.settled import settled_labels, settled_options
from lve.checkers.extract.stances import stance
from lve.extensions.opencompass_score.extractors import first_option

TEXTS_OF = texts("extract")
NUMBERS = TEXTS_OF["numbers"]
STATEMENTS = TEXTS_OF["statements"]
UNITS = TEXTS_OF["units"]
PAIRS = (
    ("km", "m"),
    ("\u00b0C", "\u00b0 F"),
    ("fahrenheit", "K"),
    ("pound", "kg"),
    ("cents", "$"),
    ("\u20ac", "cents"),
    ("GBp", "GBP"),
    ("m", "s"),
    ("km/h", "m/s"),
    ("%", "percent"),
    ("pound", "GBP"),
)
CHOICES = TEXTS_OF["choices"]
TEXTS = TEXTS_OF["texts"]
STANCES = (
    ("I think ", " is right"),
    ("It is not ", ""),
    ("", " is wrong"),
    ("", " is not correct"),
    ("rather than ", ""),
    ("isn't ", ", but"),
    ("", ""),
    ("never ", ""),
    ("the correct answer is ", "."),
    ("", " would be wrong"),
    ("Don't pick ", ""),
    ("", "? No."),
    ("not only ", ""),
)


def extracted(name: str, text: str) -> str:
    more = {
        "last-tag": {"tag": "a"},
        "xml-tag": {"tag": "<a>"},
        "pattern": {"pattern": "(?:an?|the) (\\w+)"},
    }
    return extractors.make_extractor({"type": name, **more.get(name, {})})(text)


def conversion(unit: str, target: str) -> object:
    value = number_of("7.5")[0]
    return converted(value, units_named(unit), units_named(target))


def names_of_units() -> Calls:
    """Return the names of each unit of the table."""
    names = defaultdict(list)
    for name, meanings in units_by_name().items():
        names[str(meanings)].append(name)
    return {f"units named {' '.join(words)}": meaning for meaning, words in names.items()}


def all_calls() -> Calls:
    kinds = [*extractors.EXTRACTORS, *extractors.ALIASES]
    return {
        **grid(numbers.extract_number, NUMBERS, numbers.EXTRACTS),
        **grid(numbers.written_number, NUMBERS, ("float_last",)),
        **grid(
            numbers.plain_reference,
            (1.0, 1.5, " 1,234.50 ", "1e3", "x", "", "3 km", ["2.0", 2.0], None, "9" * 5000),
        ),
        **grid(numbers.no_number_reason, ("a" * 80, "b" * 81), ("int_first", "float_last")),
        **grid(final_numbers, STATEMENTS + NUMBERS),
        **grid(final_quantities, STATEMENTS),
        **grid(quantities_in, STATEMENTS, comma_is_decimal=(None, True)),
        **grid(number_of, STATEMENTS + NUMBERS),
        **grid(spelled_value, STATEMENTS),
        **grid(with_digits, STATEMENTS),
        **grid(
            han_value,
            (
                "\u4e09\u5341\u4e94",
                "\u5341\u4e8c\u4e07",
                "\u767e",
                "\u3007",
                "\u4e24\u5343\u96f6\u4e94",
                "\u4e00\u4ebf",
                "a",
                "",
                "\u5341\u5341",
                "\u516b\u70b9\u4e94",
                "\u4e09\u5206\u4e4b\u4e8c",
                "\u8d1f\u4e09\u5206\u306e\u4e8c",
                "\u767e\u5206\u4e4b\u4e94\u5341",
                "\u3007\u5206\u4e4b\u4e8c",
                "\u4e09\u5206\u4e4b\u3007",
                "\u4e09\u70b9",
                "\u8d1f\u4e09\u70b9\u4e00\u56db",
            ),
        ),
        **grid(units_named, UNITS),
        **grid(read_units, UNITS, (0,)),
        **rows_of(conversion, PAIRS),
        **names_of_units(),
        **grid(extracted, kinds, (*TEXTS, *CHOICES)),
        **grid(option, CHOICES, cushion=(False,)),
        **grid(first_option, CHOICES, options=("AB",), cushion=(False,)),
        **grid(last_option, CHOICES, options=("AB",)),
        **grid(letter_mentions, CHOICES, ("ABCD",)),
        **grid(label_mentions, CHOICES, (["red", "blue"],)),
        **grid(settled_options, CHOICES, ("ABC",)),
        **grid(settled_options, CHOICES[-9:], ("AB",), (["red", "blue"],)),
        **grid(settled_labels, CHOICES, (["red", "blue"],)),
        **rows_of(stance, STANCES),
        **grid(language_of, TEXTS),
        **grid(language_of, TEXTS[-9:], expected=("en", "de")),
        **grid(word_counts.word_count, TEXTS),
        **grid(word_counts.sentence_count, TEXTS),
        **grid(bare_text.bare_text, TEXTS),
        **grid(bare_text.normalized_text, TEXTS),
        **grid(bare_text.expected_forms, TEXTS),
    }


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("extract", all_calls()) == {}


if __name__ == "__main__":
    record("extract", all_calls())
