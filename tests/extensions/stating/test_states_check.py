"""What an answer states is told from what it denies, doubts, asks, offers or takes back."""

from __future__ import annotations

import pytest

from lve import regexes
from lve.checkers.contract import CheckContext
from lve.extensions.stating.states_check import MAX_MATCHES, States, statement
from lve.messages import Message, Role, Transcript

STATED = (
    ("blue jar", "In the blue jar."),
    ("blue jar", "Not in the piano but in the blue jar."),
    ("blue jar", "It's not the piano, it's the blue jar."),
    ("112", "Call 112, not 999."),
    ("112", "Call 112 and not 999."),
    ("oak", "It's an oak table."),
    ("copper", "Made of copper (not tin) [2]."),
    ("juno", "Your dog's name is Juno."),
    ("yes", "Yes, it does rhyme."),
    ("elephant", '"Elephant" has more letters than "cat".'),
    ("four|4", "No, it costs 4 euros."),
    ("water|cold", "Hold it under cool or lukewarm water."),
    ("112|911", "Call 112 or 911."),
    ("liver", "The liver, not the kidneys."),
    ("harbour", "I can't quote it, but it is about a harbour."),
    ("red", "It's just red, with nobody to be seen."),
    ("june", "In June, not before."),
    ("june", "Not before June 5."),
    ("milk", "The drink is milk; bread isn't one."),
    ("17", "It closes at 17:00, and it doesn't open on Sundays."),
    ("8", "It opens at 8 and does not close before 20."),
    ("5", "2 + 3 = 5"),
    ("blue", "<think>Maybe red.</think>It is blue."),
    ("blue", "<answer>blue</answer> (not red)"),
    ("toxic", "They must not be mixed, as they form toxic fumes."),
    ("toxic", "Never mix them because toxic fumes arise."),
    ("blue", "Es ist nicht rot, sondern blau; English: blue."),
    ("blue jar", "Without a doubt it's in the blue jar."),
    ("blue jar", "There is no doubt that it's in the blue jar."),
    ("112", "If in doubt, call 112."),
    ("blue", "It is blue, and I'm not sure why."),
    ("blue jar", "It's in the blue jar, not in the red one, which is wrong."),
    ("112", "Call 112, but it is wrong to call 999."),
    ("blue", "It is blue. Red is what you said, which is wrong."),
)
NOT_STATED = (
    ("blue jar", "Is it in the blue jar? The text doesn't say."),
    ("blue jar", "The blue jar is not the place."),
    ("blue jar", "I don't know; maybe the blue jar."),
    ("piano", "Under the piano? No, in the church."),
    ("blue", "Anything but the blue bin."),
    ("112", "Don't dial 112."),
    ("112", "112 is wrong."),
    ("mondays?", "Not on Mondays."),
    ("oak", "pine, not oak"),
    ("1962", "1962 is not when it was built."),
    ("1962", "Perhaps 1962."),
    ("copper", "The roof isn't made of copper [2]."),
    ("copper", "Copper? The roof is red [2]."),
    ("840", "It is less than 840 m."),
    ("840", "840 is wrong."),
    ("7", "It doesn't leave at 7."),
    ("orm", "Not Lena Orm."),
    ("green", "Is it green? I don't know."),
    ("green", "It's green or brown."),
    ("paris", "Paris isn't the capital."),
    ("5|five", "It is not exactly 5."),
    ("juno", "I can't know; people often choose Juno."),
    ("elephant", "A cat is longer than elephant."),
    ("4", "4 dollars? No."),
    ("water|cold", "Don't use cold water; put butter on it."),
    ("water|cold", "Do not apply cold water, use butter."),
    ("112", "There is no need to call 112."),
    ("liver", "The kidney, not the liver."),
    ("june", "Not in June."),
    ("milk", "Milk isn't one; bread is."),
    ("2|two", "There are two or three."),
    ("17", "It doesn't close at 17."),
    ("rye", "I don't recommend rye."),
    ("rye", "Anything but rye."),
    ("blue", "It's blue. No wait, that is wrong: it is red."),
    ("chlor", "They don't form chlorine."),
    ("red", "Three cups, red ones excluded."),
    ("1879", "I am not sure, 1879?"),
    ("blue jar", "You said the blue jar, which is wrong."),
    ("blue jar", "They say it's in the blue jar, but that is not true."),
    ("blue jar", "The blue jar, I think, but I'm not sure."),
    ("blue jar", "If it were in the blue jar, I would know."),
    ("blue jar", "I doubt that it's in the blue jar."),
    ("blau", "Die Tür ist nicht blau."),
)


def why_not(answer: str, pattern: str, *, alternatives: bool = False) -> str:
    return statement(answer, regexes.compile_pattern(f"(?i){pattern}"), alternatives)[1]


@pytest.mark.parametrize(("pattern", "answer"), STATED)
def test_an_answer_states(pattern: str, answer: str) -> None:
    assert why_not(answer, pattern) == ""


@pytest.mark.parametrize(("pattern", "answer"), NOT_STATED)
def test_an_answer_only_mentions(pattern: str, answer: str) -> None:
    assert why_not(answer, pattern) != ""


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("It isn't oak.", "is denied"),
        ("Oak?", "is only asked"),
        ("Perhaps oak.", "is doubted"),
        ("Oak or pine.", "is one of several alternatives"),
        ("I can't tell. Oak.", "is in an answer that declines to say it"),
        ("Pine.", "doesn't occur in the answer"),
    ],
)
def test_the_reason_says_why(answer: str, why: str) -> None:
    assert why_not(answer, "oak") == why


@pytest.mark.parametrize("answer", ["Call 112 or a doctor.", "I can't say why, but call 112."])
def test_alternatives_may_be_fine(answer: str) -> None:
    assert why_not(answer, "112") != ""
    assert why_not(answer, "112", alternatives=True) == ""
    assert why_not("Don't call 112 or a doctor.", "112", alternatives=True) == "is denied"


def test_one_statement_among_denials_is_enough() -> None:
    assert why_not("Not oak. Never oak. It is oak.", "oak") == ""


def test_a_match_of_nothing_and_many_matches_end() -> None:
    assert why_not("Not a, " * 400, "x*") in ("", "is denied")
    assert why_not("not a, " * MAX_MATCHES + "a", "a") == "is denied"


def test_the_check_shows_what_is_stated() -> None:
    run = Transcript((Message("It is **Oak**.", Role.assistant),), (), None, (0,))
    verdict = States("oak").check(CheckContext((run,), {}, None, {}))
    assert (verdict.outcome, verdict.reason) == ("passed", "states 'Oak'")
