"""The values of all template variables except those of memory (P5).

Each module has the `VARIABLES` of one subject. Values are plain text: unknown things are empty, names are on one line,
and text that looks like a variable in a value is never expanded.

Start at `VARIABLES`.
"""

from everlore.compose.values import (
    campaign,
    descriptions,
    entities,
    episodes,
    guidance,
    media,
    people,
    perspective,
    profile,
    rating,
    scene,
    talk,
)
from everlore.compose.variables import Variable

VARIABLES: dict[str, Variable] = {
    **people.VARIABLES,
    **descriptions.VARIABLES,
    **perspective.VARIABLES,
    **profile.VARIABLES,
    **scene.VARIABLES,
    **episodes.VARIABLES,
    **rating.VARIABLES,
    **guidance.VARIABLES,
    **media.VARIABLES,
    **talk.VARIABLES,
    **campaign.VARIABLES,
    **entities.VARIABLES,
}
