"""Tools of MCP servers, which answer while a test runs."""
