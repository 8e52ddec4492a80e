from support.bare_environment import bare_environment

__all__ = ["bare_environment"]
