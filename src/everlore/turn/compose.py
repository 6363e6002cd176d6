"""The prompt of one reply and the request to the model, built from `Gathered` within the model's context window. Pure.

Start at `prompt_of`.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace

import structlog

from everlore.compose.budget import WINDOW, Budget, budget_of, grown_window
from everlore.compose.prompt import Prompt, compose
from everlore.compose.talk import FRAME_TOKENS
from everlore.domain.bounds import Json
from everlore.errors import PromptTooLong
from everlore.models.chat import Ask, Said, Scene
from everlore.models.tokenizer import Tokenizer
from everlore.recall.trace import Trace
from everlore.turn.client_messages import woven
from everlore.turn.cuts import Cut, find_cuts
from everlore.turn.gather import Gathered
from everlore.turn.plan import Plan
from everlore.turn.readable import unread

log = structlog.get_logger(__name__)

# Tokens around the messages of a client: the template, memories, notes.
_AROUND = 4_096
_LEAST_WINDOW = 1_024


@dataclass(frozen=True, slots=True)
class BuiltPrompt:
    """`trace`: what recall found for it. `asks`: the memory that the reply is to ask the user about, if any (M10).
    `cuts`: the parts of a client's request that did not fit."""

    ask: Ask
    prompt: Prompt
    trace: Trace | None = None
    asks: str = ""
    cuts: tuple[Cut, ...] = ()


def prompt_of(plan: Plan, gathered: Gathered, tokenizer: Tokenizer, window: int | None = None) -> BuiltPrompt:
    """`window`: the context window that the model server reports."""
    plan = replace(plan, sampling=plan.with_preferences)
    budget = _budget(plan, gathered, tokenizer, window)
    prompt = compose(gathered.template, gathered.context, budget, tokenizer)
    if prompt.account.faults:
        # The turn goes on without them; a preview would have refused.
        log.warning("template.faults", template=gathered.template.name, faults=list(prompt.account.faults))
    cuts = _cuts(plan, prompt, tokenizer)
    told = (each.warning(budget.window) for each in cuts)
    warnings = [each for each in (gathered.complaint, unread(gathered.hidden), *told) if each]
    account = replace(prompt.account, warnings=(*warnings, *prompt.account.warnings))
    return BuiltPrompt(
        _ask(plan, gathered, prompt, budget, tokenizer),
        replace(prompt, account=account),
        gathered.known.trace,
        gathered.question.id if gathered.question else "",
        cuts,
    )


def shorter_window(plan: Plan, asked: BuiltPrompt, refusal: PromptTooLong) -> int:
    """A smaller context window for the next try, after the server refused the prompt for its length. Raises if that
    cannot help: the window was set by somebody, or the messages are a client's own."""
    window = min(refusal.window or WINDOW, asked.prompt.account.window * 3 // 4)
    if plan.stage.config.context_window or plan.sampling.verbatim or window < _LEAST_WINDOW:
        raise refusal
    return window


def _ask(plan: Plan, gathered: Gathered, prompt: Prompt, budget: Budget, tokenizer: Tokenizer) -> Ask:
    sampling, stage, known = plan.sampling, plan.stage, gathered.known
    messages = woven(prompt.messages, sampling.verbatim) if sampling.verbatim else prompt.messages
    is_client = sampling.sent is not None
    needed = _tokens_of(tokenizer, messages, sampling.extra) + budget.reply
    return Ask(
        messages=messages,
        max_tokens=sampling.max_tokens or (None if is_client else budget.reply),
        temperature=sampling.temperature,
        top_p=sampling.top_p,
        stop=sampling.stop,
        extra=sampling.extra,
        context_window=stage.config.context_window or grown_window(needed, most=budget.window),
        waits_for_rate=not is_client,
        scene=Scene(
            character=plan.speaker,
            user=stage.user,
            history=gathered.seen,
            memories=known.memories,
            earlier=known.earlier,
            learned=gathered.learned,
        ),
    )


def _budget(plan: Plan, gathered: Gathered, tokenizer: Tokenizer, told: int | None) -> Budget:
    """If nobody says how much the model takes, all that a client sent is kept: its server decides."""
    config, sampling = plan.stage.config, plan.sampling
    if told is None and sampling.sent is not None:
        lines = [Said("user", each.content) for each in gathered.seen[-sampling.sent :]] if sampling.sent else []
        said = _tokens_of(tokenizer, sampling.verbatim or lines, sampling.extra)
        need = said + tokenizer.count(sampling.instructions) + _AROUND
        told = grown_window(max(need * 8 // 7, need + (sampling.max_tokens or 0)))
    return budget_of(config, told=told, reply=sampling.max_tokens)


def _tokens_of(tokenizer: Tokenizer, messages: Iterable[Said], extra: Json) -> int:
    tools = tokenizer.count(json.dumps(extra["tools"])) if extra.get("tools") else 0
    return tools + sum(tokenizer.count(each.content) + FRAME_TOKENS for each in messages)


def _cuts(plan: Plan, prompt: Prompt, tokenizer: Tokenizer) -> tuple[Cut, ...]:
    sampling = plan.sampling
    if sampling.sent is None:
        return ()
    # The client's own messages replace the log and stay whole.
    messages = 0 if sampling.verbatim else sampling.sent
    return tuple(find_cuts(prompt.account, messages=messages, instructions=tokenizer.count(sampling.instructions)))
