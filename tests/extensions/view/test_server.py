"""The server: what it answers, and what it stands."""

from __future__ import annotations

import base64
import gzip
import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from extensions.reports.report_sessions import make_session
from extensions.view.viewing import Client, parsed, received, view_server

from lve.errors import UsageError
from lve.extensions.view import connections
from lve.extensions.view import server as server_module
from lve.extensions.view.server import MAX_BODY_BYTES, ViewServer
from lve.extensions.view.sessions import ViewedSessions
from lve.sessions.session_folder import SessionFolder


@pytest.fixture
def folder(tmp_path: Path) -> SessionFolder:
    return make_session(tmp_path, tests=2, models=2, repeats=1)


@pytest.fixture
def client(folder: SessionFolder) -> Iterator[Client]:
    with view_server([folder]) as found:
        yield found


def test_the_page_the_state_and_the_labels_are_there(client: Client, folder: SessionFolder) -> None:
    page = client.ask()
    assert page.status == 200
    assert b"<!doctype html>" in page.body
    assert f"Content-Length: {len(page.body)}" in page.head
    assert b"connect-src 'self'" in page.body
    state = client.ask("state").json
    assert state["sessions"][0]["session"] == folder.id
    assert state["sessions"][0]["status"] == "complete"
    assert state["sessions"][0]["results"] > 0
    assert client.ask("labels").json == {"labels": []}
    version = json.loads(page.body.split(b'id="live">')[1].split(b"</script>")[0])["version"]
    assert version == state["version"]


def test_texts_and_comparisons_come_by_themselves(client: Client) -> None:
    page = client.ask().body
    number = json.loads(page.split(b'id="live">')[1].split(b"</script>")[0])["number"]
    texts = client.ask(f"texts/{number}/1/2")
    assert (texts.status, "text/plain" in texts.head) == (200, True)
    chunk = json.loads(gzip.decompress(base64.b64decode(texts.body)))
    assert (chunk["first"], len(chunk["rows"])) == (1, 2)
    assert client.ask(f"comparison/{number}/0").status == 200
    for wrong in (f"texts/{number + 1}/0/1", f"texts/{number}/99/1", f"comparison/{number}/9"):
        answer = client.ask(wrong)
        assert (answer.status, "load the page again" in answer.json["error"]) == (404, True)
    for nothing in (
        *("texts/1/0", "texts/1/-1/1", "texts/1/x/1", f"texts/1/0/{10**9}", "texts/1/0/1/"),
        *("comparison/1", "comparison/1/0/0", "text/1/0/1", "texts/1/0/\u0661"),
    ):
        assert client.ask(nothing).status in (400, 404), nothing


def test_every_answer_forbids_what_no_answer_needs(client: Client) -> None:
    for answer in (client.ask(), client.ask("state"), client.ask("nothing"), client.ask(Host="x")):
        for header in (
            "Cache-Control: no-store",
            "X-Frame-Options: DENY",
            "X-Content-Type-Options: nosniff",
            "Referrer-Policy: no-referrer",
            "Cross-Origin-Resource-Policy: same-origin",
        ):
            assert header in answer.head
        assert "Access-Control" not in answer.head
        assert "Python" not in answer.head


@pytest.mark.parametrize(
    ("path", "method", "headers", "status"),
    [
        ("", "GET", {"Host": "evil.example"}, 403),
        ("state", "GET", {"Origin": "https://evil.example"}, 403),
        ("labels", "POST", {"Origin": "https://evil.example"}, 403),
        ("labels", "POST", {"Content_Type": "text/plain"}, 415),
        ("labels", "POST", {"Content_Length": "x"}, 400),
        ("labels", "POST", {"Content_Length": "-1"}, 400),
        ("labels", "POST", {"Content_Length": str(MAX_BODY_BYTES + 1)}, 400),
        ("labels", "POST", {"Content_Length": "9" * 5000}, 400),
        ("labels", "POST", {"Transfer_Encoding": "chunked"}, 400),
        ("labels", "POST", {}, 400),
        ("", "POST", {}, 404),
        ("../../../etc/passwd", "GET", {}, 404),
        ("%2e%2e/%2e%2e/etc/passwd", "GET", {}, 404),
        ("results.jsonl", "GET", {}, 404),
        ("", "DELETE", {}, 501),
        ("", "OPTIONS", {}, 501),
        ("", "TRACE", {}, 501),
    ],
)
def test_what_is_refused(
    client: Client, path: str, method: str, headers: dict[str, str], status: int
) -> None:
    answer = client.ask(path, method, **headers)
    assert answer.status == status
    assert client.root.strip("/") not in answer.head
    assert client.root.strip("/").encode() not in answer.body


def test_a_body_has_a_limit(client: Client) -> None:
    for size, said in (
        (MAX_BODY_BYTES, "this session isn't shown"),
        (MAX_BODY_BYTES + 1, "at most"),
    ):
        body = b'{"session":"' + b"x" * (size - 14) + b'"}'
        answer = client.ask("labels", "POST", body)
        assert answer.status == 400
        assert said in answer.json["error"]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x00\xff" * 50_000,
        b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 500 + b"\r\n",
        b"GET / HTTP/1.1\r\nA: " + b"b" * 70_000 + b"\r\n\r\n",
        b"<script> / HTTP/1.1\r\n\r\n",
    ],
    ids=range(11),
)
def test_what_is_no_request_is_dropped_and_the_next_is_answered(
    client: Client, data: bytes
) -> None:
    with socket.create_connection(("127.0.0.1", client.port), 20) as connection:
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the server was faster
        answer = received(connection)
    assert b"<script>" not in answer
    assert parsed(answer).status in (0, 400, 403, 414, 431, 501, 505)
    assert client.ask("state").status == 200


def test_slow_and_silent_clients_are_left(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module._Handler, "timeout", 0.1)
    with socket.create_connection(("127.0.0.1", client.port), 20) as connection:
        connection.sendall(b"GET / HT")
        assert received(connection) == b""


def test_a_request_that_never_ends_is_left_though_it_goes_on(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "REQUEST_S", 0.3)
    connection = socket.create_connection(("127.0.0.1", client.port), 20)
    connection.sendall(b"GET / HTTP/1.1\r\n")
    stopped = threading.Event()

    def drip() -> None:
        while not stopped.wait(0.02):
            try:
                connection.sendall(b"A")
            except OSError:
                return

    thread = threading.Thread(target=drip)
    thread.start()
    try:
        assert received(connection) == b""
    finally:
        stopped.set()
        thread.join()
        connection.close()


SLOW = {
    "silent": b"",
    "the beginning of a line": b"GET ",
    "headers without end": b"GET / HTTP/1.1\r\nA: b\r\n",
    "a body without end": b"POST /x HTTP/1.1\r\nContent-Length: 9\r\nHost: x\r\n",
}


@pytest.mark.parametrize("sent", SLOW)
def test_a_good_client_is_answered_while_200_others_hang(sent: str, client: Client) -> None:
    held = []
    try:
        for _ in range(200):
            held.append(socket.create_connection(("127.0.0.1", client.port), 20))
            held[-1].sendall(SLOW[sent])
        # A connection is taken in the order in which it came: these come after all of them.
        for _ in range(3):
            began = time.monotonic()
            assert client.ask("state").status == 200
            assert time.monotonic() - began < 5  # without others, a few milliseconds
        names = [thread.name for thread in threading.enumerate()]
        handling = [name for name in names if "process_request_thread" in name]
        assert len(handling) <= connections.MAX_OPEN
    finally:
        for connection in held:
            connection.close()


def test_the_connection_that_waits_the_longest_makes_room(client: Client) -> None:
    oldest, *others = held = [
        socket.create_connection(("127.0.0.1", client.port), 20)
        for _ in range(connections.MAX_ARRIVING)
    ]
    for connection in held:
        connection.sendall(b"GET ")
    assert client.ask("state").status == 200
    assert received(oldest) == b""
    for connection in others:
        connection.settimeout(0.01)
        with pytest.raises(TimeoutError):
            connection.recv(1)
    for connection in held:
        connection.close()


def test_an_answer_that_takes_long_is_not_cut(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limits are for requests that don't arrive, not for what a large session takes."""
    monkeypatch.setattr(connections, "REQUEST_S", 0.1)
    original = client.server.viewed.state

    def state() -> Mapping[str, Any]:
        time.sleep(0.4)
        return original()

    monkeypatch.setattr(client.server.viewed, "state", state)
    assert client.ask("state").status == 200


def test_a_label_that_takes_long_is_not_cut(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "REQUEST_S", 0.1)
    monkeypatch.setattr(client.server.viewed, "label", lambda given: time.sleep(0.4))
    assert client.label(label="right").status == 200


def test_the_head_has_a_limit(client: Client) -> None:
    lines = b"".join(b"A%d: %s\r\n" % (number, b"b" * 9_000) for number in range(50))
    with socket.create_connection(("127.0.0.1", client.port), 20) as connection:
        with suppress(OSError):  # the server was faster
            connection.sendall(b"GET / HTTP/1.1\r\n" + lines + b"\r\n")
        assert parsed(received(connection)).status in (0, 431)
    assert client.ask("state").status == 200


def test_without_room_a_connection_is_turned_away_and_room_comes_back(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MAX_OPEN", 1)
    with socket.create_connection(("127.0.0.1", client.port), 20) as connection:
        connection.sendall(b"GET ")
        assert client.raw(b"GET / HTTP/1.1\r\n\r\n") == b""
    answers = (client.ask("state").status for _ in range(200))
    assert 200 in answers


def test_a_ticket_leads_to_the_page_once(client: Client) -> None:
    path = client.server.guard.new_ticket().partition(client.host)[2]
    request = f"GET {path} HTTP/1.1\r\nHost: {client.host}\r\n\r\n".encode()
    first, second = parsed(client.raw(request)), parsed(client.raw(request))
    assert (first.status, second.status) == (303, 403)
    assert f"Location: {client.root}" in first.head
    assert client.root.strip("/") not in second.head


def test_only_this_machine_can_connect(client: Client) -> None:
    assert client.server.server_address[0] == "127.0.0.1"


def test_a_port_that_is_taken_is_one_sentence(client: Client, folder: SessionFolder) -> None:
    with pytest.raises(UsageError, match=r"port \d+ can't be used: .*--port 0 finds one"):
        ViewServer(ViewedSessions([folder], None, print), client.port)


def test_a_session_that_can_not_be_read_any_more_is_said(
    client: Client, folder: SessionFolder
) -> None:
    (folder.path / "session.json").write_text("{")
    answer = client.ask("state")
    assert answer.status == 500
    assert "can't be read" in answer.json["error"]


def test_many_at_once_get_the_same_page(client: Client) -> None:
    bodies: list[bytes] = []
    threads = [threading.Thread(target=lambda: bodies.append(client.ask().body)) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(bodies) == 12
    assert len(set(bodies)) == 1
