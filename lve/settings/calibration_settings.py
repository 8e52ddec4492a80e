"""What a workspace's settings say about calibrations."""

from __future__ import annotations

from typing import NamedTuple

FOLDER = "lve.calibrations"


class Floor(NamedTuple):
    """What a check has to reach for its verdicts to count. None: anything will do."""

    kappa: float | None = None
    tpr: float | None = None
    tnr: float | None = None
    labels: int | None = None
    """Fewest labels of each kind."""


class CalibrationSettings(NamedTuple):
    """The key `calibration` of the settings."""

    folder: str = FOLDER
    """Folder of the calibrations, relative to the workspace root."""
    floor: Floor = Floor()
    required: bool = False
    """Whether judges without a calibration that holds are advisory."""
