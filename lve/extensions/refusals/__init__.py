"""Checks that find refusals: `refusal` and `RefuseChecker`."""
