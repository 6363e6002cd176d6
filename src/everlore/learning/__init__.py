"""What is learnt afterwards, through the queue and never on a reply's path (F, K, W, O).

`learning` reads messages for facts, `keyframing` segments, `analysing` whole conversations, `closing` what is over;
`following` keeps memories true to their messages. What they decide with is pure: `clauses` and `rules` read English
without a model, `facts` with one, `segments` and `analysis` longer stretches; `saving` decides what is kept.
`embedding` gives everything its vectors. Start at `jobs`.
"""
