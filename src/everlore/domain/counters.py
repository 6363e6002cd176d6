"""The names under which things are counted that are no records (C9)."""

PROMPTS = "prompts"
PROMPT_TOKENS = "prompt_tokens"
# Before the name of who read, and of the filter that stopped something.
READ = "read."
FILTERED = "filtered."
