"""What stays of a segment of a talk: its keyframe, at most a memory or two, what passed between the persons, and the
event that the conversation is. Start at `keyframes.keyframe_of`, `interactions.interaction_of`, `episodes.opened`.
"""
