"""The model that plays the attacker: one that says nothing has not attacked."""

from __future__ import annotations

from lve.check_names import ATTACKER
from lve.checkers.asking import Answering
from lve.errors import PermanentModelError
from lve.messages import Message
from lve.pipeline.playing_user import Player


class AttackingPlayer(Player):
    """Asks the model that plays the attacker."""

    def __init__(self, asks: Answering) -> None:
        """Args:
        asks: asks models that have roles.
        """
        super().__init__(asks, ATTACKER)

    async def say(self, number: int, messages: tuple[Message, ...]) -> str:
        """Return what it says; arguments and errors as `Player.say`.

        Raises:
            ModelError: also, if it says nothing: without a message the row would end as if the
                tested model had withstood the attack.
        """
        text = await super().say(number, messages)
        if not text.strip():
            raise self.failure("says nothing")
        return text

    def failure(self, problem: str) -> PermanentModelError:
        """Return the error that ends a row whose attack wasn't carried out."""
        message = f"the attacker, played by {self.answers[-1].model}, {problem}"
        hint = "the row has no verdict; name another model with --role attacker=MODEL"
        return PermanentModelError(f"{message}; {hint}", kind="empty")
