"""Finds the part of an answer that states its result: the text after "the answer is", in the last
box, after a correction, or in the last sentence with content."""

from __future__ import annotations

import re

from lve.checkers.shape.shape import shaped

_MAX_STATEMENTS = 20
"""The most statements that are read, from the end."""
_STATEMENT = 1_000
"""The most characters of a statement that are read."""
_ANSWER = (
    r"(?:(?:final|correct|right|best|exact|the|my|short|overall|most likely) )*"
    r"(?:answer|result|solution|total|conclusion|outcome)s?(?:(?: to| for| of| here| choice"
    r"| option)"
    r"(?: [\w']+){0,8}?)?"
    r"|antwort|ergebnis|lösung|réponse(?: finale)?|résultat|respuesta|resultado|risposta|risultato"
    r"|resposta|antwoord|odpowiedź|ответ|答え|答案|정답|الجواب|الإجابة"
)
_IS = (
    r"(?:\s*\"?\s*[:：=]+|\s+(?:is|was|are|would be|should be|must be|comes (?:out )?to|equals"
    r"|ist|lautet|beträgt|est(?: de)?|es|è|é|är|jest)(?![\w'])|\s*['’]s(?!\w)|应该是|应为"
    r"|是|为|は|は、|\s+-(?=\s))"
)
_MARKER = re.compile(rf"(?:(?<![^\W_])|(?<=[一-龥]))(?:{_ANSWER}){_IS}[\s:：\"]*", re.IGNORECASE)
_HASHES = re.compile(r"####\s*")
_CORRECTION = re.compile(
    r"(?<![\w'])(?:(?:no|oh|oops|hmm|sorry|ah)?[,.]? ?(?:wait|scratch that|hold on|correction)\b"
    r"|actually\b|let me (?:re-?check|correct|re-?calculate|re-?consider|re-?do|fix|try again)"
    r"|i (?:made|have made) (?:a|an) (?:mistake|error)|(?:that|this)(?:'s| is| was) (?:wrong"
    r"|incorrect|not right|a mistake)"
    r"|on (?:second thoughts?|(?:further )?reflection|closer (?:look|inspection))[,:]"
    r"|nein, (?:moment|warte)|moment mal|non, attendez|espera|等等|不对[,，。]|更正|(?:sorry"
    r"|apologies), )",
    re.IGNORECASE,
)
_NO_WAIT = re.compile(r"(?i)\s*no[,.]? ?wait[,.:;!]")
"""A "no" that introduces a correction."""
_CHATTER = re.compile(
    r"let me know|hope (?:this|that|it) helps|feel free|confidence|happy to help|any (?:other "
    r"|more |further )?questions"
    r"|would you like|do you want|is there anything|if you (?:need|want|have|'d like|would like)"
    r"|ask me|note that|^\(?note\b|^\W*sources?\b"
    r"|^\W*references?\b|^\W*step \d+ of|p\.s\.|have a (?:nice|great|good)|disclaimer"
    r"|tokens? used|double-check|^\W*\[\d+\]\W*$"
    r"|^\W*(?:page|chapter|section|figure|table) \d+\W*$|(?:verif|check)(?:y|ication|ing)?\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\s*\n+\s*|(?<=[。！？；])")


def shortened_body(text: str) -> str:
    """Return the body of an answer's shape."""
    return shaped(text).body


def last_boxes(text: str) -> list[str]:
    """Return the contents of LaTeX boxes in order: `\\boxed{42}`, `\\fbox{42}`, `\\boxed 42`."""
    boxes = []
    starts = [*re.finditer(r"\\(?:boxed|fbox)\s*", text)]
    for match in starts[-_MAX_STATEMENTS:]:
        rest = text[match.end() : match.end() + _STATEMENT]
        boxes.append(_braced(rest) if rest.startswith("{") else _bare(rest))
    return [box for box in boxes if box]


def _braced(text: str) -> str:
    depth = 0
    for place, character in enumerate(text):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if depth == 0:
            return text[1:place].strip()
    return ""


def _bare(text: str) -> str:
    match = re.match(r"[-+]?[\w.,]*\w", text)
    return match[0] if match else ""


def corrected(text: str) -> str:
    """Return the text after the last correction ("wait, that is wrong: ..."), or the whole text if
    there is no correction with text after it."""
    for match in reversed([*_CORRECTION.finditer(text)]):
        takes_back = match.start() > 0 or _NO_WAIT.match(text)
        if takes_back and re.search(r"\w", text[match.end() :]):
            return text[match.end() :]
    return text


def has_correction(text: str) -> bool:
    """Return whether a text corrects something in it."""
    match = _CORRECTION.search(text)
    return match is not None and match.start() > 0


def after_markers(text: str) -> list[str]:
    """Return the rest of the paragraph after each "the answer is", the last one first."""
    markers = [*_HASHES.finditer(text), *_MARKER.finditer(text)]
    rests = []
    latest = sorted(markers, key=lambda marker: marker.end(), reverse=True)[:_MAX_STATEMENTS]
    for match in latest:
        rest = text[match.end() : match.end() + _STATEMENT]
        paragraph = re.split(r"\n\s*\n|\n(?=\s*(?:[-*•#]|-{3,}))", rest, maxsplit=1)[0]
        if paragraph.strip():
            rests.append(paragraph.strip())
    return rests


def sentences(text: str) -> list[str]:
    """Return the sentences and lines of a text, without closing phrases ("Let me know ...") unless
    there is nothing else."""
    parts = [part.strip() for part in _SENTENCE.split(text)]
    parts = [part[-_STATEMENT:] for part in parts if part][-_MAX_STATEMENTS:]
    return [part for part in parts if not _CHATTER.search(part)] or parts
