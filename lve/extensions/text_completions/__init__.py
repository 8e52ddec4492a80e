"""What OpenAI's servers do beside chats: /v1/completions continues and rates texts, and vLLM rates
chats."""
