"""English as it is typed, for every room that reads it: its words, each list once, and the forms of its verbs.

Knows nothing of memories or messages. Lists are files beside the code: a line a word, or a verb with its forms.
"""
