"""Reads runs of HELM (`benchmark_output/runs/SUITE/RUN`) as data: what it asked, what would be
right, and what was answered."""

from __future__ import annotations

from lve.extensions.importing.helm.runs import read_runs

__all__ = ["read_runs"]
