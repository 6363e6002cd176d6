"""What is learnt afterwards, through the queue and never on a reply's path (F, K, W, O).

`fact_jobs` reads messages for facts, `keyframe_jobs` segments, `analysis_jobs` whole conversations; `summary_jobs` sums
them up, `conversation_end` does what is left when one is closed, and `embedding_jobs` gives everything its vectors.
`provenance` keeps memories true to their messages, `model_records` what each model is worth. What they decide with is
pure: `clauses` and `phrasebooks` read messages without a model, `facts` with one; `segments`, `summaries` and
`analysis` read longer stretches, and `saving` decides what is kept. Start at `jobs`.
"""
