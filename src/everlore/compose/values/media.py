"""How the model requests pictures and speech, if the conversation has them (P5)."""

from everlore.compose.variables import Variable, VariableView


def _image(view: VariableView) -> str:
    if not view.context.config.image_tokens:
        return ""
    tags = view.get("imageTags")
    which = f"TAG is one of these: {tags}." if tags else "TAG says in a word or two what is to be seen."
    return f"To show a picture, write ${{image.TAG}} in your reply, or ${{image.TAG,TAG}} for more. {which}"


def _audio(view: VariableView) -> str:
    if not view.context.config.audio_tokens:
        return ""
    return "To be heard, write ${audio.TEXT} in your reply. TEXT is what you say aloud."


VARIABLES = {
    "media.image": Variable(_image, "How to ask for a picture; empty while pictures are off."),
    "media.audio": Variable(_audio, "How to ask for speech; empty while speech is off."),
}
