"""How attacks search: each method is a generator of messages, which gets what came of each.

The attack begins with the row's own text. The methods follow published ones in their structure; the
words are ours: PAIR (Chao et al. 2023), TAP (Mehrotra et al. 2023), GOAT (Pavlova et al. 2024),
best-of-N (Hughes et al. 2024), genetic search (Liu et al. 2023).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from typing import Protocol

from lve.errors import PromptError
from lve.extensions.attacks.attackers.conversations import (
    DONE,
    WAYS,
    Attempt,
    changing,
    mixing,
    on_topic,
    reply_of,
    rewriting,
)
from lve.extensions.attacks.text_changes.disguises import (
    Numbers,
    changed,
    mixed_case,
    shuffled_words,
)
from lve.messages import Message

_WIDTH, _BRANCHES = 2, 2
_PARENTS = 4
_NOISE = 0.05
"""The share of characters that best-of-N replaces by a neighbour in ASCII."""


class Attacker(Protocol):
    """The model that plays the attacker."""

    async def write(self, messages: tuple[Message, ...]) -> str:
        """Return the message that it writes.

        Raises:
            ModelError: also, if it writes none that can be sent.
            BudgetError, Stopped: as `Answering.answer`.
        """
        ...

    async def judge(self, messages: tuple[Message, ...]) -> str:
        """Return what it answers to a question; errors as `write`."""
        ...

    @property
    def view(self) -> tuple[Message, ...]:
        """The conversation so far as the attacker sees it."""
        ...


Messages = AsyncGenerator[str, Attempt]
Method = Callable[[Attempt, Attacker, Numbers], Messages]
"""Yields messages after the first attempt, and is sent what came of each. It ends where the
attacker has no message."""


async def talk(first: Attempt, attacker: Attacker, numbers: Numbers) -> Messages:
    """Let the attacker go on with the conversation."""
    while DONE not in (text := await attacker.write(attacker.view)):
        yield text


async def reason(first: Attempt, attacker: Attacker, numbers: Numbers) -> Messages:
    """GOAT: let the attacker think before each message of the conversation."""
    while DONE not in (text := await attacker.write(attacker.view)):
        if not (reply := reply_of(text)):
            return
        yield reply


async def pair(first: Attempt, attacker: Attacker, numbers: Numbers) -> Messages:
    """PAIR: let the attacker improve its message by the answers and scores."""
    attempts = [first]
    while True:
        attempts.append((yield await attacker.write(rewriting(first.text, attempts))))


async def tap(first: Attempt, attacker: Attacker, numbers: Numbers) -> Messages:
    """TAP: of each good message try several better ones, and go on with the best. What asks for
    something else isn't sent."""
    leaves = [[first]]
    while leaves:
        children: list[list[Attempt]] = []
        for leaf in leaves:
            for branch in range(_BRANCHES):
                way = WAYS[(branch + _BRANCHES * len(leaf)) % len(WAYS)]
                text = await attacker.write(rewriting(first.text, leaf, way))
                answer = await attacker.judge(on_topic(first.text, text))
                if not answer.strip().lower().startswith("no"):
                    children.append([*leaf, (yield text)])
        leaves = sorted(children, key=lambda leaf: -leaf[-1].success)[:_WIDTH]


async def genetic(first: Attempt, attacker: Attacker, numbers: Numbers) -> Messages:
    """Let the attacker change or join the best messages so far, drawn by chance."""
    attempts = [first]
    while True:
        parents = sorted(attempts, key=lambda each: -each.success)[:_PARENTS]
        mother = parents[int(numbers() * len(parents))].text
        father = parents[int(numbers() * len(parents))].text
        if len(attempts) >= _PARENTS and mother != father:
            asked = mixing(first.text, mother, father)
        else:
            asked = changing(first.text, mother, WAYS[int(numbers() * len(WAYS))])
        attempts.append((yield await attacker.write(asked)))


async def best_of_n(first: Attempt, attacker: Attacker, numbers: Numbers) -> Messages:
    """Best-of-N: send the text again and again, with other letters changed by chance."""

    def draw(number: int) -> str:
        return noisy(mixed_case(shuffled_words(first.text, numbers), numbers), numbers)

    while (text := changed(first.text, draw)) != first.text:
        yield text
    message = "best_of_n isn't tried on this row: it leaves the text as it is"
    raise PromptError(message, code="attacks")


def noisy(text: str, numbers: Numbers) -> str:
    """Return the text with some characters replaced by a neighbour in ASCII."""
    return "".join(_neighbour(c, numbers) if numbers() < _NOISE else c for c in text)


def _neighbour(character: str, numbers: Numbers) -> str:
    code = ord(character) + (1 if numbers() < 0.5 else -1)
    return chr(code) if "!" <= character <= "~" and 0x20 < code < 0x7F else character
