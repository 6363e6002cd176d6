"""Summaries of a long chat (C7): what is due, their text, and what happens when messages change."""
