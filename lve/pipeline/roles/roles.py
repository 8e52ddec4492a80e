"""Which model has which role: `judge`, `user`, `embedding`, ...

Only the settings and the command line say which model has a role. A test can only say which roles
it needs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from lve.errors import UsageError
from lve.extension_table import extension_part
from lve.options.run_options import RunOptions
from lve.settings.settings import Settings
from lve.spec.check_names import JUDGE
from lve.spec.spec import Spec
from lve.workspace import Workspace

if TYPE_CHECKING:
    from lve.verdicts.rates.corrected import JudgeErrors

MODEL = "model"
"""The role of the model that is tested: `--role model=NAME` is `--model NAME`."""


class CheckStatuses(Protocol):
    """What calibrations say of the checks of tests."""

    def advisory(self, spec: Spec) -> frozenset[int]:
        """Return the indexes of a test's advisory checks, and warn of them."""

    def warnings(self, spec: Spec) -> list[str]:
        """Return the warnings about a test's checks."""

    def errors(self, spec: Spec) -> JudgeErrors | None:
        """Return how often the judge of a test is wrong; None if unknown."""


def roles_of(options: RunOptions, settings: Settings) -> Mapping[str, str]:
    """Return role -> model. The command line wins over the settings."""
    return {**settings.roles, **options.roles}


def is_users(model: str, options: RunOptions, settings: Settings) -> bool:
    """Whether the user or their settings name a model, and not just a test."""
    is_set = model in (*settings.models, settings.model, *settings.roles.values())
    is_given = model in (*options.models, *options.roles.values())
    return is_given or (settings.is_own and is_set)


def role_model(role: str, options: RunOptions, settings: Settings) -> str:
    """Return the model of a role.

    Raises:
        UsageError: the role has no model.
    """
    roles = roles_of(options, settings)
    if role not in roles:
        raise UsageError(no_model(role), code="missing_role")
    return roles[role]


def no_model(role: str) -> str:
    """Return the message about a role that has no model."""
    return f"there is no model for the role `{role}`: {_help(role)}"


def check_roles(spec: Spec, options: RunOptions, settings: Settings) -> None:
    """Check that all roles which a test needs have a model.

    Raises:
        UsageError: a role has none.
    """
    roles = roles_of(options, settings)
    missing = [role for role in spec.roles if role not in roles and role != MODEL]
    if missing:
        names = " and ".join(f"`{role}`" for role in missing)
        plural = "s" if len(missing) > 1 else ""
        raise UsageError(
            f"{spec.path} needs a model for the role{plural} {names}: {_help(missing[0])}",
            code="missing_role",
        )


def statuses_for(
    workspace: Workspace, roles: Mapping[str, str], *, warn: Callable[[str], None]
) -> CheckStatuses | None:
    """Return which checks are advisory, from their calibrations for the model that judges. None:
    all checks count, as there are no calibrations and the settings require none.

    Args:
        workspace: the workspace with the calibrations.
        roles: role -> its model.
        warn: called once for each invalid calibration and for each warning about a check.
    """
    settings = workspace.settings.calibration
    if not (settings.required or os.path.lexists(workspace.root / settings.folder)):
        return None
    statuses: CheckStatuses = extension_part("calibrated checks")(
        workspace, judge=roles.get(JUDGE), warn=warn
    )
    return statuses


def judged_by_itself(model: str, judge: str) -> str:
    """Return the warning about a judge that is the model under test."""
    return (
        f"{model} is judged by itself ({JUDGE}: {judge}): models prefer their own answers; give "
        f"another one with --role {JUDGE}=MODEL"
    )


def _help(role: str) -> str:
    return f"give one with --role {role}=MODEL, or in lve.yaml `roles: {{{role}: MODEL}}`"
