"""The model `dummy/dummy`, an offline model for trying things out, as in the LVE repository."""

from __future__ import annotations

from lve.errors import PermanentModelError
from lve.messages import Completion
from lve.models.chat_model import ChatRequest

DEFAULT_RESPONSE = "Hello world"


class DummyModel:
    """Answers with the model arg `response`, with one of `random_responses`, or `Hello world`.

    The choice among `random_responses` depends only on the conversation and the repeat, so that
    runs are reproducible.
    """

    identity = None
    is_free = True
    holds_timeout = True  # it answers at once

    def __init__(self, name: str = "dummy/dummy") -> None:
        self.name = name

    async def complete(self, request: ChatRequest) -> Completion:
        """Return the answer.

        Raises:
            PermanentModelError: `random_responses` isn't a list of at least one text.
        """
        choices = request.args.get("random_responses")
        if choices is None:
            text = request.args.get("response", DEFAULT_RESPONSE)
        elif isinstance(choices, (list, tuple)) and choices:
            text = choices[_draw(request, len(choices))]
        else:
            raise PermanentModelError(
                "the model arg random_responses of dummy/dummy must be a list of texts",
                kind="bad_request",
            )
        return Completion(str(text), finish_reason="stop", model=self.name)

    async def aclose(self) -> None:
        """Nothing to close."""


def _draw(request: ChatRequest, n: int) -> int:
    """Return a pseudorandom number below `n` that depends only on the conversation and repeat."""
    from hashlib import blake2b

    prompt = repr(
        request.prompt or [(m.role.value, m.content, m.image_url) for m in request.messages]
    )
    digest = blake2b(f"{request.repeat}\0{prompt}".encode("utf-8", "surrogatepass"), digest_size=8)
    return int.from_bytes(digest.digest(), "big") % n
