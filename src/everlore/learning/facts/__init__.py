"""Facts about the user in one message: the model's prompt, the filters, and the evidence that a fact needs.

Start at `flow.facts_in`; `gate.FactGate` decides, by `filters.refusal_of` and `checks.unsupported`.
"""
