"""What the APIs of all providers share: endpoints, keys, transports, errors, limits."""
