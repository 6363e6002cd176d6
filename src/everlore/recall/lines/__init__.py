"""Which lines of past talks answer a question: what each line is like, what the question wants, and one weighted sum.

Start at `ranking.ranked`; `gather.gathered` fetches what it works on.
"""
