"""Builds prompts: the character, what it knows, and as much of the conversation as fits.

Start at `prompt.compose`.
"""
