"""Reduces a short answer to its text: no introduction, Markdown, quotes, punctuation, articles."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction

from lve.checkers.extract.conclusion import corrected, last_boxes, shortened_body
from lve.checkers.extract.plain_text import without_marks

_LEAD = re.compile(
    r"^(?:(?:sure|certainly|of course|ok|okay|well|yes)[,!.:]+\s+)?"
    r"(?:(?:so|therefore|thus|hence),?\s+)?"
    r"(?:(?:the |my )?(?:final |correct |right |short )?(?:answer|result|solution|output)"
    r"(?:\s*[:=-]\s*|\s+(?:is|would be|should be):?\s+)"
    r"|(?:it is|it's|that is|that's|this is|it was|i think it(?:'s| is)|i believe it(?:'s| is)"
    r"|i'd say"
    r"|i would say|a:|ans:|response:|here(?:'s| is) (?:the|my) answer:)\s*"
    r"|(?:sure|certainly|of course|okay|ok|well|absolutely|so|therefore|thus|hence)[,!.:]\s+"
    r"|(?:that|this|it) (?:would|should|must|has to) be\s+|es ist\s+"
    r"|\d{1,2}[.)]\s+(?=[^\W\d][^\n]*$)"
    r"|(?:die (?:richtige )?antwort(?: ist|:)|antwort:|das ist|la réponse est|réponse ?:|c'est"
    r"|la respuesta es|respuesta:|es|la risposta è|risposta:|a resposta é|resposta:|ответ:|это)\s+"
    r"|(?:正确)?答案(?:是|为)?[:：]?\s*|答えは\s*|정답은?[:：]?\s*)+",
    re.IGNORECASE,
)
_TAG = re.compile(r"<(?:final_)?answer>(.*?)</(?:final_)?answer>\s*$", re.DOTALL)
_COPULA = re.compile(r"(?<=[一-鿿ァ-ヿ])(?:です|でした|だ)[。.!]?$")
_GUESSED = re.compile(
    r"^[^?\n]{1,80}\?\s+(?:no|nope|nein|non|nee)\b[,:.!]?\s*(?=\w)", re.IGNORECASE
)
"""A guess that is taken back: "Lyon? No, Paris."."""
_TRAILING = re.compile(
    r"(?:\s*(?:\[\d{1,3}\]|[\U0001F000-\U0001FAFF\u2600-\u27BF\uFE0F\u200D]+))+[.!]?\s*$"
    r"|\s+it is[.!]?\s*$",
    re.IGNORECASE,
)
"""References (`[1]`) and emojis after an answer."""
_BRACKETS = re.compile(r"(?<=\w)\s*[(\[（][^()\[\]（）]{0,100}[)\]）]\s*[.!]?$")
_LATEX = re.compile(
    r"\\(?:text|textbf|mathrm|mathbf|boxed|fbox|emph)\s*\{([^{}]*)\}|\$+|\\[()\[\]]"
)
_JSON = re.compile(
    r"^\{\s*\"?(?:answer|result|response|text)\"?\s*:\s*\"?(.*?)\"?\s*\}$", re.DOTALL
)
_NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
_SEPARATORS = re.compile(
    r"(?<=[^\W\d])-+(?=[^\W\d])|(?<!\d)[.:](?=\s|$)|(?<!\d)[.:](?!\d)|[.:](?=\s|$)"
    r"|[\"'´`(){}\[\]!?;,…]"
    r"|\s-+\s|^-+\s|\s-+$|[¡¿·•、。！？；：，]"
)
_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)")
_ARTICLES = re.compile(r"(?<![\w'])(?:an?|the)(?![\w'])")


def bare_text(text: str) -> str:
    """Return an answer, or the text that a test expects, in a form for comparison."""
    return normalized_text(_stated(text))


def _stated(text: str) -> str:
    """Return the text that an answer states, without its introduction."""
    text = shortened_body(text)
    if boxes := last_boxes(text):
        return _LATEX.sub(lambda m: m[1] or "", boxes[-1])
    text = without_marks(_LATEX.sub(lambda m: m[1] or "", text)).strip()
    match = _JSON.match(text) or _TAG.search(text)
    text = match[1].strip() if match else text
    text = _GUESSED.sub("", text)
    after = corrected(text)
    if after != text and after.strip(" ,.:;\n"):
        text = after.strip(" ,.:;\n")
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    marked = [line for line in lines if _LEAD.match(line)]
    text = marked[-1] if len(lines) > 1 and marked else text
    shorter = _LEAD.sub("", text, count=1)
    text = shorter or text
    text = _TRAILING.sub("", text) or text
    text = _BRACKETS.sub("", text) or text
    return _COPULA.sub("", text)


def normalized_text(text: str) -> str:
    """Return a text in lower case, without articles and punctuation that has no meaning."""
    text = unicodedata.normalize("NFC", text.casefold())
    text = _APOSTROPHE.sub("\u2019", text)
    if (number := _NUMBER.fullmatch(text.strip(" .!\"'"))) is not None:
        return _number(number[0])
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)
    words = _SEPARATORS.sub(" ", text).split()
    plain = " ".join(words)
    return " ".join(_ARTICLES.sub(" ", plain).split()) or plain or text.strip()


def _number(text: str) -> str:
    value = Fraction(text.replace(",", ""))
    return str(value.numerator) if value.denominator == 1 else f"{float(value):.15g}"
