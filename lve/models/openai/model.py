"""Models at OpenAI, Azure or any server with OpenAI's API."""

from __future__ import annotations

from collections.abc import Sequence

from lve.extension_table import extension_part
from lve.models.http.chat import HttpChatModel
from lve.models.http.wire import Refusable
from lve.models.openai.apis import path_failure
from lve.models.openai.embeddings import parse_embeddings

EMBEDDINGS = "/embeddings"


class OpenAIModel(HttpChatModel):
    """A model that also turns texts into vectors, and has a batch API, if the server can."""

    def batch_api(self) -> object:
        """Return the server's batch API.

        Raises:
            UsageError: the server has none at this address.
        """
        return extension_part("batches of OpenAI")(self)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector per text. Makes one attempt."""
        body = {"model": self.endpoint.model, "input": list(texts), "encoding_format": "float"}
        timeout_s = self.endpoint.timeout_s
        response = await self.transport.post(EMBEDDINGS, body, timeout_s=timeout_s)
        if not response.is_success:
            failure = self.failure(response, self._wire, Refusable(body))
            raise path_failure(failure, response, EMBEDDINGS)
        return parse_embeddings(response.body, len(texts), secret=self.endpoint.secret)
