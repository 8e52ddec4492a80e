"""The values of a workspace's settings: models, caps, trusted files, tool servers, workers."""
