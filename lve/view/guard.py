"""Decides which requests are answered: those of the page itself, and of the user who opens it.

Whatever runs on this machine can connect, and so can every web site in the user's browser. So all
addresses begin with a token that only the user was told. A name that was rebound to this machine
shows in `Host`; a web site that sends the browser here shows in `Origin` and `Sec-Fetch-Site`.
"""

from __future__ import annotations

import secrets
import threading
import time
from email.message import Message
from hmac import compare_digest
from typing import NamedTuple

TICKET_S = 60.0
"""How long the address that a browser is started with can be opened."""
JSON = "application/json"


class Refusal(NamedTuple):
    """Why a request isn't answered."""

    status: int
    why: str


class Guard:
    """Knows the token and the names of a server."""

    def __init__(self, port: int) -> None:
        """
        Args:
            port: of the server.
        """
        self._token = secrets.token_urlsafe(24)
        self._ticket: tuple[str, float] | None = None
        self._lock = threading.Lock()
        self._hosts = frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost"))
        self.home = f"http://127.0.0.1:{port}/{self._token}/"
        self._start = f"http://127.0.0.1:{port}/open/"

    @property
    def root(self) -> str:
        """The path of the page."""
        return f"/{self._token}/"

    def new_ticket(self) -> str:
        """Return an address that leads to the page once. Other users of the machine can read the
        command line of a browser, so the token must not stand there."""
        ticket = secrets.token_urlsafe(24)
        with self._lock:
            self._ticket = (ticket, time.monotonic() + TICKET_S)
        return f"{self._start}{ticket}"

    def use_ticket(self, path: str) -> bool:
        """Whether a path is that of the ticket. It is used up then."""
        with self._lock:
            known = self._ticket
            if known is None or time.monotonic() > known[1]:
                return False
            if not compare_digest(path.encode(), f"/open/{known[0]}".encode()):
                return False
            self._ticket = None
            return True

    def refusal(self, method: str, path: str, headers: Message) -> Refusal | None:
        """Return why a request isn't answered; None if it may be.

        Args:
            method: of the request.
            path: of the request, without its query.
            headers: of the request.
        """
        hosts = headers.get_all("Host") or []
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return Refusal(403, "this name doesn't belong to the server")
        if reason := self._foreign(method, headers):
            return Refusal(403, reason)
        if path.startswith("/open/"):
            return None  # the ticket decides
        given = f"/{path.split('/')[1]}/" if path.count("/") > 1 else ""
        if not compare_digest(given.encode("utf-8", "replace"), self.root.encode()):
            return Refusal(403, "open the address that `lve view` printed: it has a token")
        if method == "POST" and headers.get_content_type() != JSON:
            return Refusal(415, f"send {JSON}")
        return None

    def _foreign(self, method: str, headers: Message) -> str | None:
        """Return why a request comes from another site; None if it doesn't."""
        origins = headers.get_all("Origin") or []
        own = {f"http://{host}" for host in self._hosts}
        if any(origin.lower() not in own for origin in origins):
            return "another site sent this request"
        if method == "POST" and len(origins) != 1:
            return "only the page itself may change anything"
        site = headers.get("Sec-Fetch-Site", "none")
        is_opened = (
            method == "GET"
            and headers.get("Sec-Fetch-Mode") == "navigate"
            and headers.get("Sec-Fetch-Dest") == "document"
        )
        if site not in ("none", "same-origin") and not is_opened:
            return "another site sent this request"
        return None
