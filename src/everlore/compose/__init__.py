"""How a prompt is built: who the character is, what it knows, and as much of the talk as fits.

Start at `prompt.compose`.
"""
