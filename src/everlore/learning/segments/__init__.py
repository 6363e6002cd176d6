"""Results of a segment of a chat: its keyframe, up to two memories, interactions between its participants, and the
conversation's event. Start at `keyframes.keyframe_of`, `interactions.interaction_of`, `episodes.opened`.
"""
