"""The impression that the character makes: by its personality, speech and feelings, never by its gender (P6)."""

from everlore.compose.values.people import filled, one_line
from everlore.compose.values.wording import joined, labelled, opening, under
from everlore.compose.variables import Variable, VariableView

_OWN = {
    "system.personality.summary": "Personality",
    "system.speechPattern": "Way of speaking",
    "system.emotionalTendency": "Emotional tendency",
}
_SUMMARY_SENTENCES = 4
_SUMMARY_CHARS = 400
_CASUAL_CHARS = 120


def _summary(view: VariableView) -> str:
    personality = filled(view, view.context.character.personality)
    return opening(personality, sentences=_SUMMARY_SENTENCES, most=_SUMMARY_CHARS)


def _speech_pattern(view: VariableView) -> str:
    return one_line(filled(view, view.context.character.speech_pattern))


def _emotional_tendency(view: VariableView) -> str:
    return one_line(filled(view, view.context.character.emotional_tendency))


def _casual(view: VariableView) -> str:
    texts = (view.get(name) for name in _OWN)
    return joined((opening(text, sentences=1, most=_CASUAL_CHARS).rstrip(".") for text in texts), "; ")


def _dynamic(view: VariableView) -> str:
    told = (labelled(label, view.get(name)) for name, label in _OWN.items())
    return under(f"Let {view.get('system.firstName')} come across like this", told)


def _casual_perspective(view: VariableView) -> str:
    casual = view.get("system.personality.casual")
    return f"Messages from {view.get('system.firstName')} sound like this: {casual}" if casual else ""


VARIABLES = {
    "system.personality.summary": Variable(_summary, "The character's personality in a few sentences."),
    "system.personality.casual": Variable(_casual, "Personality, speech and feelings in a few words."),
    "system.speechPattern": Variable(_speech_pattern, "How the character speaks."),
    "system.emotionalTendency": Variable(_emotional_tendency, "How the character tends to feel."),
    "perspective": Variable(lambda view: view.get("perspective.dynamic"), "The same as `perspective.dynamic`."),
    "perspective.dynamic": Variable(
        _dynamic, "How the character comes across, from personality, way of speaking and emotional tendency."
    ),
    "perspective.casual": Variable(
        _casual_perspective, "How the character comes across, in one line for short messages."
    ),
}
