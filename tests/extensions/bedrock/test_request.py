"""Requests to Converse, without boto3."""

from __future__ import annotations

from lve.extensions.bedrock.plugin import BedrockWire
from lve.extensions.bedrock.request import messages_body
from lve.messages import Message, Role


def test_a_claude_model_that_does_not_reason_is_sampled_as_asked() -> None:
    wire = BedrockWire("eu.anthropic.claude-sonnet-4-6")
    assert wire.clashing({"thinking": {"type": "disabled"}}) == frozenset()
    assert "temperature" in wire.clashing({"thinking": {"type": "enabled", "budget_tokens": 9}})
    assert BedrockWire("amazon.nova").clashing({"thinking": {"type": "enabled"}}) == frozenset()


def test_documents_have_different_names() -> None:
    files = [
        {"type": "file", "file": {"file_data": "data:text/plain;base64,SGk=", "filename": name}}
        for name in ("report", "a/Report.txt", None, None, "document-2", "report.txt")
    ]
    result = Message(files[:1], role=Role.tool, tool_call_id="1")
    body = messages_body([Message(files[:5]), result, Message(files[5:])])
    (message,) = body
    documents = [block["document"]["name"] for block in message["content"] if "document" in block]
    assert documents == ["report", "Report-2", "document", "document-2", "document-2-2", "report-4"]
    (inner,) = [block["toolResult"] for block in message["content"] if "toolResult" in block]
    assert [block["document"]["name"] for block in inner["content"]] == ["report-3"]
