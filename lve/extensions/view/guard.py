"""Access control of the server: only the page itself and the user who opens it get answers.

Every program on this machine can connect, and so can every web site in the user's browser. So all
addresses begin with a secret token. A check of `Host` stops DNS rebinding. Checks of `Origin` and
`Sec-Fetch-Site` stop requests of other sites.
"""

from __future__ import annotations

import secrets
import threading
import time
from email.message import Message
from hmac import compare_digest

from lve.named_tuples import NamedTuple

TICKET_S = 60.0
"""How long a one-time address (a ticket) is valid."""
JSON = "application/json"


class Refusal(NamedTuple):
    """A refused request."""

    status: int
    """The HTTP status."""
    why: str


class Guard:
    """Checks requests by the server's token and host names."""

    def __init__(self, port: int) -> None:
        """
        Args:
            port: the server's port.
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
        """Return an address that opens the page once.

        A browser is started with it, because other users of the machine can read the browser's
        command line, so the token must not be there.
        """
        ticket = secrets.token_urlsafe(24)
        with self._lock:
            self._ticket = (ticket, time.monotonic() + TICKET_S)
        return f"{self._start}{ticket}"

    def use_ticket(self, path: str) -> bool:
        """Return whether `path` is the valid ticket's. The ticket can't be used again."""
        with self._lock:
            ticket = self._ticket
            if ticket is None or time.monotonic() > ticket[1]:
                return False
            if not compare_digest(path.encode(), f"/open/{ticket[0]}".encode()):
                return False
            self._ticket = None
            return True

    def refusal(self, method: str, path: str, headers: Message) -> Refusal | None:
        """Return why a request is refused; None if it is allowed.

        Args:
            method: the HTTP method.
            path: the path without the query.
            headers: the request's headers.
        """
        hosts = headers.get_all("Host") or []
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return Refusal(403, "this name doesn't belong to the server")
        if reason := self._foreign(method, headers):
            return Refusal(403, reason)
        if path.startswith("/open/"):
            return None  # `use_ticket` decides
        prefix = f"/{path.split('/')[1]}/" if path.count("/") > 1 else ""
        if not compare_digest(prefix.encode("utf-8", "replace"), self.root.encode()):
            return Refusal(403, "open the address that `lve view` printed: it has a token")
        if method == "POST" and headers.get_content_type() != JSON:
            return Refusal(415, f"send {JSON}")
        return None

    def _foreign(self, method: str, headers: Message) -> str | None:
        """Return why a request seems to come from another site; None if it doesn't."""
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
