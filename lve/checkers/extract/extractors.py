"""Extractors, which find the part of an answer to judge: a letter, a number, the text of a tag, ...

Any checker takes `extract` with the name of an extractor, an object `{type: NAME, ...}` with its
arguments, or a list of these, applied in order. If nothing is found, the result is an empty text.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, cast, get_args

from lve import regexes
from lve.checkers.arguments import ArgumentError
from lve.checkers.contract import CheckContext, RunnableChecker, Verdict
from lve.checkers.extract.answer_text import Extractor, extracted
from lve.checkers.extract.first_or_last_number import (
    EXTRACTS,
    Extract,
    plain_reference,
    written_number,
)
from lve.checkers.extract.options import last_option, option
from lve.checkers.judging_limits import MAX_ITEMS
from lve.checkers.search import search
from lve.checkers.shape.reasoning import non_reasoning_content, without_reasoning
from lve.data_classes import dataclass
from lve.escape import quoted
from lve.extension_table import extension_part
from lve.suggest import did_you_mean

_ARTICLES = re.compile(r"\b(?:a|an|the)\b", re.IGNORECASE)
_BOXED = "\\boxed{"


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
    return first_capital(text[::-1])


def first_capital_multi(text: str) -> str:
    """The first run of the letters A to D."""
    return next(iter(re.findall(r"[A-D]+", text)), "")


def multiple_select(text: str) -> str:
    """All capital letters, each once, in order of the alphabet."""
    return "".join(sorted(set(filter(str.isupper, text))))


def last_tag(text: str, *, tag: str) -> str:
    """The content of the last `<tag>...</tag>`."""
    name = tag.strip("<>/")
    end = text.rfind(f"</{name}>")
    start = text.rfind(f"<{name}>", 0, max(end, 0))
    return text[start + len(name) + 2 : end].strip() if 0 <= start < end else ""


def strip_think(text: str, *, start: str | None = None, end: str | None = None) -> str:
    """The text without the model's reasoning, in any known marks or in these; empty if it was cut
    off."""
    if start is None and end is None:
        return (without_reasoning(text) or "").strip()
    start = start or "<think>"
    stripped = non_reasoning_content(text, start=start, end=end or "</think>")
    return stripped.partition(start)[0].strip()


def boxed(text: str) -> str:
    """The content of the last `\\boxed{...}`. Braces may be nested."""
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
    """The first group of a regular expression (Python's `re`), or the whole match if there is no
    group."""
    match = search(regexes.compile_pattern(pattern), text)
    if match is None:
        return ""
    return (match[1] or "") if match.groups() else match[0]


EXTRACTORS: Mapping[str, Callable[..., str] | None] = {
    "general": general,
    "first-capital": first_capital,
    "last-capital": last_capital,
    "first-capital-multi": first_capital_multi,
    "multiple-select": multiple_select,
    "option": option,
    "first-option": None,
    "last-option": last_option,
    **{name: partial(written_number, extract=name) for name in get_args(Extract)},
    "first-number": None,
    "last-number": partial(written_number, extract="float_last"),
    "last-tag": last_tag,
    "xml-tag": None,
    "strip-think": strip_think,
    "non-reasoning-content": non_reasoning_content,
    "boxed": boxed,
    "first-line": first_line,
    "last-line": last_line,
    "pattern": pattern,
}
"""Name -> the function; None: the one with OpenCompass' results, which is an extension's."""
FILTERS = (
    *("match", "map", "replace", "trim", "lowercase", "uppercase"),
    *("promptfoo_script", "promptfoo_calls"),
)
"""Steps that rewrite a text: `lve.extensions.filters`."""
ALIASES = {
    "specific-xml-tag": "xml-tag",
    "extract-non-reasoning-content": "non-reasoning-content",
    "match_answer_pattern": "pattern",
    "general_postprocess": "general",
    "first_capital_postprocess": "first-capital",
    "last_capital_postprocess": "last-capital",
    "first_capital_postprocess_multi": "first-capital-multi",
    "multiple_select_postprocess": "multiple-select",
    "first_option_postprocess": "first-option",
    "last_option_postprocess": "last-option",
    "first_number_postprocess": "first-number",
    "xml_tag_postprocessor": "xml-tag",
    "extract_non_reasoning_content": "non-reasoning-content",
}
"""Names of extractors in OpenCompass and AISBench, and of their functions -> lve's names."""
ARGUMENTS = {"answer_pattern": "pattern", "think_start_token": "start", "think_end_token": "end"}
"""Names of arguments there -> lve's names."""
NUMBERS = (*EXTRACTS, "first-number", "last-number")
"""Extractors of numbers. References are written in their notation, too."""


def make_extractor(value: Any) -> Extractor:
    """Return the extractor that an `extract` argument describes.

    Raises:
        ArgumentError: the extractor is unknown, or its arguments are invalid.
    """
    if isinstance(value, list):
        steps = [make_extractor(step) for step in value]
        return lambda text: _through(steps, text)
    document = {"type": value} if isinstance(value, str) else value
    if not isinstance(document, Mapping) or not isinstance(document.get("type"), str):
        raise _wrong("'extract' is a name, an object with `type`, or a list of these")
    name = _known_name(document["type"])
    if name in FILTERS:
        return cast(Extractor, extension_part("filters")(document))
    if name not in EXTRACTORS:
        names = (*EXTRACTORS, *FILTERS)
        raise _wrong(
            f"there is no extractor {name!r}; there are {', '.join(names)}",
            hint=did_you_mean(name, names),
        )
    arguments = {ARGUMENTS.get(key, key): v for key, v in document.items() if key != "type"}
    function = EXTRACTORS[name] or extension_part("extractors of OpenCompass")[name]
    try:
        inspect.signature(function).bind("", **arguments)
        _check_arguments(arguments)
    except (TypeError, regexes.PatternError) as error:
        raise _wrong(f"extractor {name!r}: {error}") from error
    return lambda text: function(text, **arguments)


def _known_name(spelling: str) -> str:
    """Return lve's name of an extractor. Dumps of upstream have the name of a function with its
    module."""
    is_upstream = spelling.startswith(("opencompass.", "ais_bench."))
    name = spelling.rpartition(".")[2] if is_upstream else spelling
    return ALIASES.get(name, name)


def finds_number(value: object) -> bool:
    """Return whether the last step of an `extract` argument extracts a number."""
    last = value[-1] if isinstance(value, list) and value else value
    name = last.get("type") if isinstance(last, Mapping) else last
    return isinstance(name, str) and _known_name(name) in NUMBERS


@dataclass(frozen=True, slots=True)
class ExtractingChecker:
    """A checker that sees only the extracted parts of answers."""

    checker: RunnableChecker
    extract: Extractor
    finds_number: bool = False
    """Whether a number is extracted. The reference is then written in the same notation."""

    def check(self, context: CheckContext) -> Verdict:
        """Return the checker's verdict on the extracted texts; an answer without the number that is
        asked for fails, whatever the checker would say of nothing."""
        seen = self._seen(context)
        if self.finds_number:
            for whole, part in zip(context.transcripts, seen.transcripts, strict=True):
                if not part.response:
                    return Verdict("failed", f"found no number in {quoted(whole.response)}")
        return self.checker.check(seen)

    def work(self, context: CheckContext) -> int | None:
        """Return the checker's work on the whole answers, plus the work of extracting."""
        # A checker that asks a model must ask it only about the extracted text.
        inner = self.checker.work(context if context.answers is None else self._seen(context))
        length = sum(
            len(text) for run in context.transcripts for text in (*run.answers, run.response)
        )
        return None if inner is None else inner + 300 * length

    def prepare(self) -> None:
        """Load the checker's models and libraries."""
        self.checker.prepare()

    def postprocess_response(self, response: str) -> str:
        """Return the response as the checker lets it be written."""
        return self.checker.postprocess_response(response)

    def _seen(self, context: CheckContext) -> CheckContext:
        runs = tuple(extracted(run, self.extract) for run in context.transcripts)
        reference = context.reference
        if self.finds_number:
            reference = plain_reference(reference)
        return replace(context, transcripts=runs, reference=reference)


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
    options = arguments.get("options", "A")
    if len(options) > MAX_ITEMS:
        raise TypeError(f"'options' has more than {MAX_ITEMS} letters")
    if not options.isalnum():
        raise TypeError(
            f"'options' are letters or digits without anything between, not {options!r}"
        )
    if "pattern" in arguments:
        regexes.compile_pattern(arguments["pattern"])


def _wrong(message: str, *, hint: str | None = None) -> ArgumentError:
    return ArgumentError("extract", message, hint=hint)
