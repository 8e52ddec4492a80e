"""What a log of batches keeps, and what is found in it again."""

from __future__ import annotations

from pathlib import Path

import pytest

from lve.extensions.batch.log import FILE, BatchLog

KEY = "sk-aB3dE-f8gH1jK2lM3nO4pQ5"


def test_a_batch_is_found_again_by_a_model_whose_name_has_a_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By mistake; it isn't in the file."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    model = f"openai/{KEY}"
    log = BatchLog(tmp_path)
    log.begin(token := "a" * 32, model, [f"{'b' * 32}-0"])
    log.close()
    assert KEY not in (tmp_path / FILE).read_text("utf-8")
    again = BatchLog(tmp_path)
    assert [submission.token for submission in again.earlier_of(model)] == [token]
    assert again.earlier_of("openai/other") == []
    again.close()
