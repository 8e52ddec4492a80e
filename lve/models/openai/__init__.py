"""OpenAI's API, at OpenAI, Azure or any compatible server."""
