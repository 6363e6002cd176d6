"""Ranks lines of past conversations for a question: features of each line, the needs of the question, a weighted sum.

Start at `ranking.ranked`; `gather.gathered` fetches its input.
"""
