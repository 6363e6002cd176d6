"""The audience of the story, and what it may show (P5). Short, because a model needs no lecture on it."""

from everlore.compose.variables import Variable, VariableView
from everlore.domain.config_choices import Rating

_MPA = {Rating.E: "G", Rating.T: "PG-13", Rating.M: "R", Rating.AO: "NC-17", Rating.RC: "Unrated"}
_ALLOWED = {
    Rating.E: "for everyone: nothing cruel, crude or sexual",
    Rating.T: "for teenagers: mild violence and mild language at most, and nothing sexual",
    Rating.M: "for a mature audience: violence and strong language where they belong; what is sexual stays implied",
    Rating.AO: "for adults only: it may show what adults consent to, and nothing sexual ever involves a minor",
    Rating.RC: "without a classification: its players decide what it shows, and nothing sexual ever involves a minor",
}


def _rating(view: VariableView) -> str:
    return view.context.config.rating.value


def _mpa(view: VariableView) -> str:
    return _MPA[view.context.config.rating]


def _warning(view: VariableView) -> str:
    return f"The story is {_ALLOWED[view.context.config.rating]}."


def _own_warning(view: VariableView) -> str:
    return f"I tell a story {_ALLOWED[view.context.config.rating]}."


VARIABLES = {
    "rating": Variable(_rating, "The content rating: E, T, M, AO or RC."),
    "ratingMpa": Variable(_mpa, "The rating as used for films: G, PG-13, R, NC-17 or Unrated."),
    "censorWarn": Variable(_warning, "What the rating allows, in one sentence."),
    "assistCensorWarn": Variable(_own_warning, "What the rating allows, as the character says it."),
}
