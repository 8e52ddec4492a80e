"""What all wires to servers share: endpoints, keys, transports, failures, limits."""
