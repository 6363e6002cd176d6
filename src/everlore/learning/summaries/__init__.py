"""Summaries of a long talk (C7): what is due, what a summary says, and what becomes of it when its messages change."""
