"""For custom checkers of the original LVE repository: `from lve.prompt import Role`.

New code uses `lve.Message` and `lve.messages`.
"""

from lve.messages import Message, Role

__all__ = ["Message", "Role"]
