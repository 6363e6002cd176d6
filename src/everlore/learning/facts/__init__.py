"""What one user message tells about the user: the question to a model, the filters, and what a fact must rest on.

Start at `flow.facts_in`; `gate.FactGate` decides, by `filters.refusal_of` and `checks.unsupported`.
"""
