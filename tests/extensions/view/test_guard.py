"""Which requests are answered."""

from __future__ import annotations

from email.message import Message
from typing import Any

import pytest

from lve.extensions.view import guard
from lve.extensions.view.guard import Guard

PORT = 8123
OWN = f"http://127.0.0.1:{PORT}"


def headers(**changes: Any) -> Message:
    message = Message()
    given = {"Host": f"127.0.0.1:{PORT}", **changes}
    for name, values in given.items():
        for value in values if isinstance(values, list) else [values]:
            if value is not None:
                message[name.replace("_", "-")] = value
    return message


@pytest.fixture
def door() -> Guard:
    return Guard(PORT)


POST = {"Origin": OWN, "Content_Type": "application/json"}


@pytest.mark.parametrize(
    ("method", "given"),
    [
        ("GET", {}),
        ("GET", {"Host": f"localhost:{PORT}"}),
        ("GET", {"Host": f"LOCALHOST:{PORT}"}),
        ("GET", {"Sec_Fetch_Site": "none"}),
        ("GET", {"Sec_Fetch_Site": "same-origin", "Origin": OWN}),
        (
            "GET",
            {
                "Sec_Fetch_Site": "cross-site",
                "Sec_Fetch_Mode": "navigate",
                "Sec_Fetch_Dest": "document",
            },
        ),
        ("POST", POST),
        ("POST", {**POST, "Origin": f"http://localhost:{PORT}", "Sec_Fetch_Site": "same-origin"}),
        ("POST", {**POST, "Content_Type": "application/json; charset=utf-8"}),
    ],
)
def test_the_user_and_the_page_itself_are_answered(door: Guard, method: str, given: Any) -> None:
    assert door.refusal(method, door.root, headers(**given)) is None


@pytest.mark.parametrize(
    ("method", "given", "status"),
    [
        ("GET", {"Host": None}, 403),
        ("GET", {"Host": "evil.example"}, 403),
        ("GET", {"Host": f"evil.example:{PORT}"}, 403),
        ("GET", {"Host": "127.0.0.1"}, 403),
        ("GET", {"Host": f"127.0.0.1:{PORT + 1}"}, 403),
        ("GET", {"Host": f"127.0.0.1:{PORT}.evil.example"}, 403),
        ("GET", {"Host": [f"127.0.0.1:{PORT}", "evil.example"]}, 403),
        ("GET", {"Origin": "https://evil.example"}, 403),
        ("GET", {"Origin": "null"}, 403),
        ("GET", {"Sec_Fetch_Site": "cross-site"}, 403),
        ("GET", {"Sec_Fetch_Site": "same-site"}, 403),
        (
            "GET",
            {
                "Sec_Fetch_Site": "cross-site",
                "Sec_Fetch_Mode": "navigate",
                "Sec_Fetch_Dest": "iframe",
            },
            403,
        ),
        ("POST", {"Content_Type": "application/json"}, 403),
        ("POST", {**POST, "Origin": "null"}, 403),
        ("POST", {**POST, "Origin": "https://evil.example"}, 403),
        ("POST", {**POST, "Origin": f"https://127.0.0.1:{PORT}"}, 403),
        ("POST", {**POST, "Origin": f"http://127.0.0.1:{PORT + 1}"}, 403),
        ("POST", {**POST, "Origin": [OWN, "https://evil.example"]}, 403),
        ("POST", {**POST, "Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate"}, 403),
        ("POST", {**POST, "Content_Type": "text/plain"}, 415),
        ("POST", {"Origin": OWN}, 415),
    ],
)
def test_others_are_not(door: Guard, method: str, given: Any, status: int) -> None:
    refusal = door.refusal(method, door.root, headers(**given))
    assert refusal is not None
    assert refusal.status == status


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "",
        "*",
        "/state",
        "//",
        "/x/",
        "/{}x/",
        "/x{}/",
        "/{}",
        "/../{}/",
        "\xff/\xff/",
        "http://",
    ],
)
def test_without_the_token_nothing_is_told(door: Guard, path: str) -> None:
    wrong = path.replace("{}", door.root.strip("/"))
    refusal = door.refusal("GET", wrong, headers())
    assert refusal is not None
    assert door.root.strip("/") not in refusal.why


def test_tokens_are_long_and_never_the_same() -> None:
    tokens = {Guard(PORT).root for _ in range(50)}
    assert len(tokens) == 50
    assert all(len(token) >= 32 for token in tokens)


def test_a_ticket_opens_once_and_not_for_ever(door: Guard, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not door.use_ticket("/open/")
    path = door.new_ticket().removeprefix(OWN)
    assert not door.use_ticket(f"{path}x")
    assert door.use_ticket(path)
    assert not door.use_ticket(path)
    monkeypatch.setattr(guard, "TICKET_S", -1.0)
    assert not door.use_ticket(door.new_ticket().removeprefix(OWN))
    assert door.root.strip("/") not in door.new_ticket()
