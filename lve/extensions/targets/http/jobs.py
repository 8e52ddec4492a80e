"""Waits for the answer of an application that takes requests as jobs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from lve.errors import PermanentModelError
from lve.escape import excerpt
from lve.extensions.targets.http.answers import json_value
from lve.extensions.targets.http.request_writer import RequestWriter
from lve.extensions.targets.http.transport import HttpRequest
from lve.extensions.targets.paths import ValuePath
from lve.extensions.targets.reply import unusable
from lve.extensions.targets.target_model import Attempt
from lve.models.config import ModelConfig
from lve.models.http.failures import timed_out
from lve.models.http.transport import HttpResponse

EVERY_S = 1.0


class Jobs:
    """How an application's jobs are asked for."""

    def __init__(self, config: ModelConfig, options: Mapping[str, Any]) -> None:
        """Args:
        config: the model's configuration.
        options: the option `job`.

        Raises:
            SettingsError: an option is invalid.
        """
        where = f"model {config.name!r}: options.job"
        headers = {
            name: config.entry.options[name]
            for name in ("headers", "headers_env")
            if name in config.entry.options
        }
        look = {"url": options["url"], "method": "GET", **headers}
        self._writer = RequestWriter(config, look, "options.job", names=("job",))
        self._id = ValuePath(options["id"], f"{where}.id")
        self._status = ValuePath(options["status"], f"{where}.status")
        self._done, self._failed = options["done"], options.get("failed", ())
        self._every_s: float = options.get("every_s", EVERY_S)

    async def result(
        self,
        submitted: bytes,
        attempt: Attempt,
        send: Callable[[HttpRequest], Awaitable[HttpResponse]],
    ) -> bytes:
        """Return the body that has the answer, when it is there.

        Args:
            submitted: the body of the answer to the request.
            attempt: the attempt, which ends in time.
            send: sends a request, and raises the error of a response that is none.

        Raises:
            ModelError: the job failed, or takes too long.
        """
        job = self._id.value_in(json_value(submitted))
        if not isinstance(job, str | int) or isinstance(job, bool):
            raise unusable(f"there is no job's id at {self._id.text}")
        while True:
            response = await send(self._writer.request({"job": job}))
            status = self._status.value_in(json_value(response.body))
            if status in self._done:
                return response.body
            if status in self._failed:
                message = f"the job {excerpt(str(job), 60)} ended with {excerpt(str(status), 60)}"
                raise PermanentModelError(message, kind="application")
            if attempt.left_s <= self._every_s:
                raise timed_out(attempt.timeout_s)
            await asyncio.sleep(self._every_s)
