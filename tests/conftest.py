"""What all tests share."""

from hypothesis import settings

pytest_plugins = ["pytester"]

# How long an example takes depends on what else the machine does.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
