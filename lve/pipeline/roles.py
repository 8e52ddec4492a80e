"""Models by role: who judges, who plays the user, who makes embeddings.

Only the settings and the command line say which model has a role. A test can only say which roles
it needs.
"""

from __future__ import annotations

from collections.abc import Mapping

from lve.errors import UsageError
from lve.run_options import RunOptions
from lve.spec.model import Spec
from lve.workspace import Settings

MODEL = "model"
"""The role of the model that is tested: `--role model=NAME` is `--model NAME`."""
JUDGE = "judge"


def roles_of(options: RunOptions, settings: Settings) -> Mapping[str, str]:
    """Return role -> model: the command line wins over the settings."""
    return {**settings.roles, **options.roles}


def role_model(role: str, options: RunOptions, settings: Settings) -> str:
    """Return the model of a role.

    Raises:
        UsageError: nobody has given it one.
    """
    roles = roles_of(options, settings)
    if role not in roles:
        raise UsageError(f"there is no model for the role `{role}`: {_help(role)}")
    return roles[role]


def check_roles(spec: Spec, options: RunOptions, settings: Settings) -> None:
    """Check that each role that a test needs has a model.

    Raises:
        UsageError: one hasn't.
    """
    roles = roles_of(options, settings)
    missing = [role for role in spec.roles if role not in roles and role != MODEL]
    if missing:
        named = " and ".join(f"`{role}`" for role in missing)
        plural = "s" if len(missing) > 1 else ""
        raise UsageError(
            f"{spec.path} needs a model for the role{plural} {named}: {_help(missing[0])}"
        )


def judged_by_itself(model: str, judge: str) -> str:
    """Return the warning about a judge that is the model under test."""
    return (
        f"{model} is judged by itself ({JUDGE}: {judge}): models prefer their own answers; give "
        f"another one with --role {JUDGE}=MODEL"
    )


def _help(role: str) -> str:
    return f"give one with --role {role}=MODEL, or in lve.yaml `roles: {{{role}: MODEL}}`"
