"""Python imports this at its start: no garbage is collected (`instructions.py --without-gc`)."""

import gc

gc.disable()
