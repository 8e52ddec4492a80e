"""Models behind servers with OpenAI's API: endpoint, wire format, transports, failures."""
