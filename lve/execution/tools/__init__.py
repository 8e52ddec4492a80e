"""Tools that something answers while a test runs: code of its folder, and MCP servers."""
