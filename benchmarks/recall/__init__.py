"""How well is recalled what was said: public question sets, plain baselines, and the same call that everybody makes."""
