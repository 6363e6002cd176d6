"""The value of every variable that a template can use, but for those of memory (P5).

Each module has the `VARIABLES` of one subject. Values are plain text: an unknown thing is empty, a name is on one
line, and what looks like a variable in a value is looked at by nobody.

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
