"""The labelled public answers from which the model of refusals learns."""

from __future__ import annotations

import csv
import hashlib
import json
import random
import re
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

_HASHES = Path(__file__).with_name("sources.json")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_DECLINES = re.compile(
    r"(?i)\b(?:cannot|can't|unable|not able|won't|not appropriate|decline|not comfortable)\b"
)
XSTEST_LABELS = {"1_full_compliance": 0, "2_full_refusal": 1}
_DO_NOT_ANSWER = {"0": 1, "2": 0, "5": 0}
"""Its actions: 0 is not willing to answer, 2 gives both sides, 5 follows the instruction. The
others (refuting an opinion, disclaimers, not knowing) are of either kind."""
_HOW_TO = re.compile(r"(?i)how (?:(?:do|can|could|should|would) (?:i|you|we|one)|to) (.{8,90})\?")
_ORDER = re.compile(
    r"(?:Write|Create|Give|Tell|Describe|Explain|Provide|Develop|List|Make|Draft|Generate|Show|Teach"
    r"|Design|Compose|Name|Help|Suggest|Find) .{8,120}"
)
_REFUSING = (
    *("I can't", "I won't", "I cannot", "I will not", "I'm not going to", "I'm unable to"),
    *("I refuse to", "I must decline to", "Sorry, but I can't", "Sorry, I won't", "No, I won't"),
    *("I understand, but I can't", "I'm afraid I can't", "I'd rather not", "I have no wish to"),
)
_ENDINGS = (
    *(".", ".", ".", ": it's there to protect people.", ", because somebody could get hurt."),
    *("; that would be wrong.", ". Ask me something else.", ". I'm sorry.", ": it is illegal."),
    *(". If you like, we could talk about something else.", ", as it would harm others."),
)
_DOING = (
    "To",
    "Here is how to",
    "Sure! You can",
    "If you want to",
    "It's easy to",
    "People usually",
)
"""What a request may follow in a refusal, what may follow it there, and how an answer begins."""
_TONES = {"complied": 0, "rejected": 1}
_FROM_STATEMENTS = 120
"""How many statements of each of XSafety's files are taken."""
_FROM_SENTENCES = 60
"""How many of the shortest sentences of each language are taken."""


class Labelled(NamedTuple):
    """An answer, whether it refuses (1 or 0), where it is from, and how much it counts."""

    answer: str
    refuses: int
    source: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class PublicFiles:
    """Files of one public repository at one commit."""

    folder: Path
    """Where they are kept; files that are missing there are fetched."""

    def read(self, name: str) -> str:
        """Return the text of a file.

        Raises:
            ValueError: if it isn't the file that the model was made from.
        """
        origin = json.loads(_HASHES.read_text(encoding="utf-8"))[name]
        kept = self.folder / name
        if not kept.exists():
            address = f"https://raw.githubusercontent.com/{origin['at']}"
            with urllib.request.urlopen(address, timeout=60) as reply:
                kept.write_bytes(reply.read())
        data = kept.read_bytes()
        if hashlib.sha256(data).hexdigest() != origin["sha256"]:
            raise ValueError(f"{kept}: not the file that the model was made from; delete it")
        return data.decode("utf-8-sig")

    def names(self, start: str) -> list[str]:
        """Return the names of the files that start with `start`."""
        return [name for name in json.loads(_HASHES.read_text("utf-8")) if name.startswith(start)]

    def tables(self, start: str) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield the file's name and a row, of each CSV file that starts with `start`."""
        for name in self.names(start):
            for row in csv.DictReader(self.read(name).splitlines(keepends=True)):
                yield name, row


def xstest(files: PublicFiles) -> Iterator[tuple[str, int, str, str]]:
    """Yield each of XSTest's completions: the model, the prompt's number, the answer, its label."""
    for name, row in files.tables("xstest_"):
        model = name.removeprefix("xstest_").removesuffix(".csv")
        yield model, int(row["id"].split("-")[1]), row["completion"], row["final_label"]


def public_answers(files: PublicFiles) -> list[Labelled]:
    """Return the labelled answers of all sources other than XSTest, whole and in parts."""
    whole = [row for row in _whole(files) if row.answer.strip()]
    return [
        *whole,
        *_parts(whole),
        *_statements(files),
        *_sentences(files),
        *_requests(files),
    ]


def _whole(files: PublicFiles) -> Iterator[Labelled]:
    for _, row in files.tables("do_not_answer_"):
        if row["action"] in _DO_NOT_ANSWER:
            label = _DO_NOT_ANSWER[row["action"]]
            yield Labelled(row["response"], label, "Do-Not-Answer", 0.7)
    for row in json.loads(files.read("chatgpt_refusals.json")):
        if row["tone"] in _TONES:
            yield Labelled(row["response"], _TONES[row["tone"]], "chatgpt-refusals", 0.7)
    for name in files.names("refusal_direction_"):
        for row in json.loads(files.read(name))["completions"]:
            agreed = _agreed(name, row)
            if agreed is not None:
                yield Labelled(row["response"], agreed, "refusal_direction", 0.7)
    for name in files.names("arena_hard_"):
        for line in files.read(name).splitlines():
            content = json.loads(line)["messages"][-1]["content"]
            answer = content["answer"] if isinstance(content, dict) else content
            yield Labelled(answer, 0, "arena-hard", 0.7)


def _agreed(name: str, row: dict[str, int]) -> int | None:
    """Return the label on which the substring matcher and the guard model agree."""
    complies = row["is_jailbreak_substring_matching"]
    if "harmless" in name:
        return 0 if complies else None
    if (complies, row["is_jailbreak_llamaguard2"]) == (1, 1):
        return 0
    refuses = (complies, row["is_jailbreak_llamaguard2"]) == (0, 0)
    return 1 if refuses and "baseline" in name else None


def _parts(rows: list[Labelled]) -> Iterator[Labelled]:
    """Yield short answers: sentences of long ones that comply, first ones of refusals."""
    draw = random.Random(5)
    for row in rows:
        sentences = [part for part in _SENTENCE.split(row.answer) if len(part) > 8]
        if not sentences or "```" in row.answer:
            continue
        if row.refuses:
            if _DECLINES.search(sentences[0]) and draw.random() < 0.7:
                yield row._replace(answer=sentences[0])
        elif row.source != "Do-Not-Answer":
            place = draw.randrange(len(sentences))
            yield row._replace(answer=" ".join(sentences[place : place + draw.choice((1, 1, 2))]))
            if place:
                yield row._replace(answer=sentences[place - 1])


def _requests(files: PublicFiles) -> Iterator[Labelled]:
    """Yield refusals that repeat a request, and answers that begin with the same words."""
    draw = random.Random(6)
    asked = [row["question"] for _, row in files.tables("do_not_answer_GPT4")]
    asked += [row["prompt"] for row in json.loads(files.read("chatgpt_refusals.json"))]
    for request in asked:
        how, order = _HOW_TO.fullmatch(request), _ORDER.fullmatch(request.rstrip(".?"))
        if how is None and order is None:
            continue
        deed = how[1] if how else request.rstrip(".?")
        deed = f"{deed[0].lower()}{deed[1:]}"
        shown = draw.choice(["explain how to ", "show you how to ", "tell you how to "])
        for _ in range(2):
            refusal = (
                f"{draw.choice(_REFUSING)} {shown if how else ''}{deed}{draw.choice(_ENDINGS)}"
            )
            yield Labelled(refusal, 1, "requests", 0.5)
        yield Labelled(f"{draw.choice(_DOING)} {deed}, start small.", 0, "requests", 0.5)


def _statements(files: PublicFiles) -> Iterator[Labelled]:
    """Yield what people say in other languages, about feelings and dangers: no refusals."""
    for name in files.names("xsafety_"):
        for line in files.read(name).splitlines()[:_FROM_STATEMENTS]:
            text = line.strip().strip('"').strip()
            if len(text) > 4:
                yield Labelled(text, 0, "XSafety", 0.7)


def _sentences(files: PublicFiles) -> Iterator[Labelled]:
    """Yield short sentences of newspapers and of the web: most words are no refusal's."""
    for name in files.names("sentences_"):
        lines = [line.strip() for line in files.read(name).splitlines()]
        texts = sorted((line for line in lines if len(line) > 8), key=len)[:_FROM_SENTENCES]
        for text in texts:
            yield Labelled(text, 0, "lingua", 0.15)
