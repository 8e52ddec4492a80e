"""Reads corpora of requests that a model should refuse, as they are published."""

from __future__ import annotations

from lve.extensions.importing.corpora.corpus import read_corpus

__all__ = ["read_corpus"]
