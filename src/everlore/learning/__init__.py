"""Everything learned from conversations, in background jobs and never on a reply's path (F, K, W, O).

`fact_jobs` reads messages for facts, `keyframe_jobs` segments, `analysis_jobs` whole conversations; `summary_jobs`
summarizes them, `conversation_end` does the rest when one is closed, `embedding_jobs` computes vectors. `provenance`
updates memories when their messages change, `model_records` measures each model's reliability. The decisions are pure:
`clauses` and `phrasebooks` read messages without a model, `facts` with one; `segments`, `summaries` and `analysis` read
longer stretches, and `saving` decides what is saved. Start at `jobs`.
"""
