"""OpenAI's Responses API: requests, answers, streamed answers. Pure functions."""
