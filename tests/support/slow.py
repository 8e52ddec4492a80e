"""The tests that `make quick` leaves out, as patterns below tests/ (`tests/slow.txt`). `make test`
runs every test."""

from __future__ import annotations

from pathlib import Path

_LINES = Path(__file__).parents[1].joinpath("slow.txt").read_text(encoding="utf-8").splitlines()
SLOW = tuple(line for line in _LINES if not line.startswith("#"))
