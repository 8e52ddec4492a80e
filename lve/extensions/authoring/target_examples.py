"""The example applications of `lve init --target`, each of which answers the first test."""

from __future__ import annotations

from collections.abc import Mapping

from lve.named_tuples import NamedTuple


class TargetExample(NamedTuple):
    """An example of one kind of application."""

    model: str
    """The application's name in the settings."""
    settings: str
    """Its entry of `models`."""
    file: str
    source: str
    starts_with: str = ""
    """The command that starts it; empty if lve does."""
    trust: bool = True
    """Whether it runs only with `--trust`."""

    @property
    def steps(self) -> Mapping[str, str]:
        """Command -> what it does."""
        command = f"lve run --model {self.model}" + (" --trust" if self.trust else "")
        start = {f"{self.starts_with} &": "starts the example"} if self.starts_with else {}
        return {**start, command: "asks your application"}


_CAPITALS = """\
CAPITALS = {"France": "Paris", "Kenya": "Nairobi", "Peru": "Lima"}


def capital_in(question):
    return next((capital for country, capital in CAPITALS.items() if country in question), "?")
"""
_PYTHON = (
    '"""An example of an application: replace it by your own."""\n\n'
    + _CAPITALS
    + """

def answer(prompt):
    # A text, or a dict: text, contexts, tool_calls, usage, cost, metadata.
    return {"text": capital_in(prompt), "contexts": [], "metadata": {"source": "table"}}
"""
)
_EXEC = (
    '"""An example of an application: replace it by your own.\n\n'
    'It gets a request as JSON on stdin: {"prompt", "messages", "system", "session", "args"}.\n'
    '"""\n\nimport json\nimport sys\n\n'
    + _CAPITALS
    + """

request = json.load(sys.stdin)
print(json.dumps({"text": capital_in(request["prompt"]), "metadata": {"source": "table"}}))
"""
)
_HTTP = (
    '"""An example of an application: replace it by your own."""\n\n'
    "import json\nfrom http.server import BaseHTTPRequestHandler, ThreadingHTTPServer\n\n"
    + _CAPITALS
    + """

class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = {"reply": capital_in(request["question"]), "sources": [{"text": "the table"}]}
        body = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", 8000), Handler).serve_forever()
"""
)
EXAMPLES: Mapping[str, TargetExample] = {
    "http": TargetExample(
        "app/endpoint",
        """\
  app/endpoint:
    provider: http
    options:
      url: http://127.0.0.1:8000/chat
      body: {question: "{prompt}"}
      answer: $.reply
      contexts: $.sources[*].text
""",
        "app/server.py",
        _HTTP,
        starts_with="python3 app/server.py",
        trust=False,
    ),
    "exec": TargetExample(
        "app/command",
        """\
  app/command:
    provider: exec
    options: {command: [python3, app/command.py]}
""",
        "app/command.py",
        _EXEC,
    ),
    "python": TargetExample(
        "app/function",
        """\
  app/function:
    provider: python
    options: {function: "app.answers:answer"}
""",
        "app/answers.py",
        _PYTHON,
    ),
}
"""Provider -> its example."""
