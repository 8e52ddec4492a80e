"""From a long answer to the part that is judged: a letter, a number, the text of a tag, ...

Any checker takes `extract:` with the name of one of these, an object `{type: NAME, ...}` with its
arguments, or a list of them, applied one after another. What isn't found gives an empty text.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from lve import regexes
from lve.checkers.arguments import ArgumentError
from lve.checkers.contract import CheckContext, MeasuredChecker, Verdict
from lve.checkers.extract.numbers import EXTRACTS, extract_number
from lve.checkers.search import search
from lve.messages import Transcript

Extractor = Callable[[str], str]

_ARTICLES = re.compile(r"\b(?:a|an|the)\b", re.IGNORECASE)
_BOXED = "\\boxed{"
MAX_OPTIONS = 100
"""At most so many letters to choose from."""


def general(text: str) -> str:
    """The first clause of the first line, without punctuation and articles."""
    clause = re.split(r"[\n.,]", text, maxsplit=1)[0]
    words = _ARTICLES.sub("", re.sub(r"[^\w\s]", "", clause)).split()
    return " ".join(words)


def first_capital(text: str) -> str:
    """The first capital letter."""
    return next((letter for letter in text if letter.isupper()), "")


def last_capital(text: str) -> str:
    """The last capital letter."""
    return next((letter for letter in reversed(text) if letter.isupper()), "")


def first_capital_multi(text: str) -> str:
    """The first run of the letters A to D."""
    found = re.search(r"[A-D]+", text)
    return found[0] if found else ""


def multiple_select(text: str) -> str:
    """All capital letters, each once, in order of the alphabet."""
    return "".join(sorted({letter for letter in text if letter.isupper()}))


def first_option(text: str, *, options: str = "ABCD", cushion: bool = True) -> str:
    """The option that the answer settles on: "the answer is B", "Answer: B", "\\boxed{B}", "(B)".

    Args:
        text: an answer.
        options: the letters.
        cushion: whether any of the letters will do where none is named as the answer.
    """
    text = text.strip()
    patterns = _option_patterns(options)
    for pattern in patterns if cushion else patterns[:-1]:
        found = pattern.search(text)
        if found:
            return found[1]
    return ""


def last_option(text: str, *, options: str = "ABCD") -> str:
    """The last of the letters in the text."""
    return next((letter for letter in reversed(text) if letter in options), "")


def first_number(text: str) -> str:
    """The first number."""
    return _number(extract_number(text, "float_first"))


def last_number(text: str) -> str:
    """The last number."""
    return _number(extract_number(text, "float_last"))


def xml_tag(text: str, *, tag: str) -> str:
    """What stands in the last `<tag>...</tag>`."""
    name = tag.strip("<>/")
    end = text.rfind(f"</{name}>")
    start = text.rfind(f"<{name}>", 0, max(end, 0))
    return text[start + len(name) + 2 : end].strip() if 0 <= start < end else ""


def strip_think(text: str, *, start: str = "<think>", end: str = "</think>") -> str:
    """The text without the model's reasoning. A lone end tag ends reasoning that began unseen."""
    if start not in text:
        return text.rpartition(end)[2].strip()
    kept, place = [], 0
    while (opened := text.find(start, place)) >= 0:
        closed = text.find(end, opened + len(start))
        if closed < 0:
            break
        kept.append(text[place:opened])
        place = closed + len(end)
    return "".join([*kept, text[place:]]).strip()


def boxed(text: str) -> str:
    """What stands in the last `\\boxed{...}`; braces may be nested."""
    start = text.rfind(_BOXED)
    if start < 0:
        return ""
    depth = 1
    for place in range(start + len(_BOXED), len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return text[start + len(_BOXED) : place].strip()
    return ""


def first_line(text: str) -> str:
    """The first line that isn't blank."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def last_line(text: str) -> str:
    """The last line that isn't blank."""
    return first_line("\n".join(reversed(text.splitlines())))


def pattern(text: str, *, pattern: str) -> str:
    """The first group of a regular expression (Python's `re`), or all that it matches."""
    found = search(regexes.compile_pattern(pattern), text)
    if found is None:
        return ""
    return (found[1] or "") if found.groups() else found[0]


EXTRACTORS: Mapping[str, Callable[..., str]] = {
    "general": general,
    "first-capital": first_capital,
    "last-capital": last_capital,
    "first-capital-multi": first_capital_multi,
    "multiple-select": multiple_select,
    "first-option": first_option,
    "last-option": last_option,
    "first-number": first_number,
    "last-number": last_number,
    "xml-tag": xml_tag,
    "strip-think": strip_think,
    "boxed": boxed,
    "first-line": first_line,
    "last-line": last_line,
    "pattern": pattern,
}
ALIASES = {
    "specific-xml-tag": "xml-tag",
    "extract-non-reasoning-content": "strip-think",
    "match_answer_pattern": "pattern",
}
"""Names of the same extractors in OpenCompass and AISBench."""


def make_extractor(value: Any) -> Extractor:
    """Return the extractor that an `extract` argument describes.

    Raises:
        ArgumentError: it names none, or its arguments are wrong.
    """
    if isinstance(value, list):
        steps = [make_extractor(step) for step in value]
        return lambda text: _through(steps, text)
    given = {"type": value} if isinstance(value, str) else value
    if not isinstance(given, Mapping) or not isinstance(given.get("type"), str):
        raise _wrong("'extract' is a name, an object with `type`, or a list of these")
    name = ALIASES.get(given["type"], given["type"])
    if name not in EXTRACTORS:
        raise _wrong(
            f"there is no extractor {name!r}; there are {', '.join(EXTRACTORS)}, and for lambdas"
            f" {', '.join(EXTRACTS)}"
        )
    arguments = {key: v for key, v in given.items() if key != "type"}
    function = EXTRACTORS[name]
    try:
        inspect.signature(function).bind("", **arguments)
        _check_arguments(arguments)
    except (TypeError, regexes.PatternError) as error:
        raise _wrong(f"extractor {name!r}: {error}") from error
    return lambda text: function(text, **arguments)


@dataclass(frozen=True, slots=True)
class ExtractingChecker:
    """A checker that sees only what is extracted from each run's last answer."""

    checker: MeasuredChecker
    extract: Extractor

    def check(self, context: CheckContext) -> Verdict:
        """Return the checker's verdict on the extracted texts."""
        runs = tuple(_extracted(run, self.extract) for run in context.transcripts)
        return self.checker.check(replace(context, transcripts=runs))

    def work(self, context: CheckContext) -> int | None:
        """Return the checker's work on the whole text, plus that of extracting."""
        inner = self.checker.work(context)
        return None if inner is None else inner + 50 * sum(map(len, context.responses))

    def prepare(self) -> None:
        """Load what the checker needs."""
        self.checker.prepare()

    def postprocess_response(self, response: str) -> str:
        """Return the response as the checker wants it written."""
        return self.checker.postprocess_response(response)


def _extracted(run: Transcript, extract: Extractor) -> Transcript:
    last = run.messages[-1]
    content = extract(last.content) if isinstance(last.content, str) else last.content
    return replace(run, messages=(*run.messages[:-1], replace(last, content=content)))


def _through(steps: list[Extractor], text: str) -> str:
    for step in steps:
        text = step(text)
    return text


def _check_arguments(arguments: Mapping[str, Any]) -> None:
    for name, value in arguments.items():
        if name == "cushion":
            if not isinstance(value, bool):
                raise TypeError(f"'cushion' is true or false, not {value!r}")
        elif not isinstance(value, str) or not value:
            raise TypeError(f"{name!r} is a text, and not empty")
    if len(arguments.get("options", "")) > MAX_OPTIONS:
        raise TypeError(f"'options' has more than {MAX_OPTIONS} letters")
    if "pattern" in arguments:
        regexes.compile_pattern(arguments["pattern"])


def _option_patterns(options: str) -> list[re.Pattern[str]]:
    letter = f"([{re.escape(options)}])"
    # Blanks beside blanks (`\s*:?\s*`) would take time in the square of their number.
    around = r"\s*(?:[:：]\s*)?[\(\[*\"'$]{0,4}" + letter + r"(?![A-Za-z])"
    shapes = [
        r"答案(?:选项)?(?:应该?)?(?:是|为|选)?" + around,
        r"(?:故|应)?选择?" + around,
        r"(?i:answer|option|choice)(?i:\s+(?:to the question|option))?"
        r"(?i:\s+is|\s*[:=])(?i:\s*option)?" + around,
        r"\\boxed\{\s*(?:\\text\{)?" + letter,
        r"^[\(\[]?" + letter + r"[\)\]]?(?:[\s.,:：。，)]|$)",
        r"[\s，,：:（(]" + letter + r"[)）]?[。.，,]?\s*$",
        r"(?:^|[\s(（])" + letter + r"(?:[\s。.，,：:)）]|$)",
        letter,
    ]
    return [re.compile(shape) for shape in shapes]


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return str(int(value)) if value == int(value) else repr(value)


def _wrong(message: str) -> ArgumentError:
    return ArgumentError("extract", message)
