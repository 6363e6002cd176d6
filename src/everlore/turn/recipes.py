"""Which recipe recall follows in a conversation: the same for its replies and for questions about them (R1, R5).

Start at `recipe_in`.
"""

from everlore.domain.config import ConversationConfig, config_of
from everlore.domain.config_choices import RecipeName
from everlore.domain.conversation import Conversation
from everlore.domain.person import Person, PersonKind
from everlore.domain.policy import is_at_work
from everlore.domain.scope import Scope
from everlore.recall.recipes import recipe_for
from everlore.turn.campaign_context import campaign_of
from everlore.turn.resources import Resources
from everlore.turn.template_choice import template_for


async def recipe_in(resources: Resources, scope: Scope, conversation_id: str | None) -> RecipeName:
    """The recipe of this conversation's replies; without a conversation, the one of the mode."""
    found = await resources.store.get_many(scope, Conversation, [conversation_id]) if conversation_id else []
    if not found:
        return recipe_for(None, None, at_work=is_at_work(scope.mode), has_campaign=False, plays=False)
    conversation, config = found[0], config_of(found[0].config)
    ids = [*conversation.system_ids, *([conversation.user_id] if conversation.user_id else [])]
    persons = {each.id: each for each in await resources.store.get_many(scope, Person, ids)}
    speakers = [persons[id] for id in conversation.system_ids if id in persons]
    written = None
    if speakers:
        campaign = await campaign_of(resources.store, scope, conversation)
        scene = is_scene(conversation, persons.get(conversation.user_id or ""))
        template, _ = await template_for(resources.store, scope, config.template, speakers[0], campaign, is_scene=scene)
        written = template.recipe
    return recipe_of(scope, conversation, config, persons.get(conversation.user_id or ""), written)


def is_scene(conversation: Conversation, user: Person | None) -> bool:
    """Whether somebody plays a role: there are several characters, or the user speaks as one."""
    return len(conversation.system_ids) > 1 or (user is not None and user.kind is not PersonKind.USER)


def recipe_of(
    scope: Scope,
    conversation: Conversation,
    config: ConversationConfig,
    user: Person | None,
    template: RecipeName | None,
) -> RecipeName:
    return recipe_for(
        config.recall_recipe,
        template,
        at_work=is_at_work(scope.mode),
        has_campaign=conversation.campaign_id is not None,
        plays=user is not None and user.kind is not PersonKind.USER,
    )
