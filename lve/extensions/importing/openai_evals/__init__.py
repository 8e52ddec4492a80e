"""Reads a registry of OpenAI's `evals`: its basic and its model-graded tests."""

from __future__ import annotations

from lve.extensions.importing.openai_evals.evals import read_evals

__all__ = ["read_evals"]
