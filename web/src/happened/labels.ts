/** Plain words for what happened, and for how people and places relate. */
import type { Event, EventType, Interaction } from "../api/types";

const EVENTS: Record<EventType, string> = {
  conversation: "Chat",
  interact: "Chat",
  tool_invocation: "Tool used",
  file_read: "File read",
  file_write: "File written",
  code_approval: "Code approved",
  code_rejection: "Code rejected",
  observation: "Observation",
  reflection: "Reflection",
  dream: "Dream",
  task: "Task",
  summary: "Summary",
};

const INTERACTIONS: Record<Interaction["type"], string> = {
  ACCOMMODATE: "Making room for each other",
  ALLY: "Alliance",
  BARTER: "Trade",
  BEFRIEND: "New friendship",
  BETRAY: "Betrayal",
  BREAK_UP: "Breakup",
  COERCE: "Coercion",
  COMBAT: "Fight",
  COMMERCE: "Business",
  COMMUNICATE: "Conversation",
  COMPETE: "Competition",
  CONFLICT: "Conflict",
  CONGREGATE: "Gathering",
  COOPERATE: "Cooperation",
  CORRESPOND: "Letters",
  CRITICIZE: "Criticism",
  DATE: "Date",
  DEBATE: "Debate",
  DEFEND: "Defense",
  ENTERTAIN: "Entertainment",
  EXCHANGE: "Exchange",
  EXPRESS_GRATITUDE: "Thanks",
  EXPRESS_INDIFFERENCE: "Indifference",
  HELP: "Help",
  INTIMATE: "Intimacy",
  INVESTIGATE: "Investigation",
  MENTOR: "Mentoring",
  NEGOTIATE: "Negotiation",
  OPPOSE: "Opposition",
  PEER_PRESSURE: "Peer pressure",
  RECREATE: "Leisure",
  RELATE: "Getting closer",
  ROMANCE: "Romance",
  SEPARATE: "Separation",
  SHUN: "Avoidance",
  SOCIALIZE: "Time together",
  THREATEN: "Threat",
  NONE: "Other",
  UNKNOWN: "Other",
};

export const eventName = (type: EventType): string => EVENTS[type];
/** The event of a chat is stored as “Conversation: …”; next to “Chat” its title is enough. */
export const eventWords = ({ type, content }: Event): string =>
  type === "interact" ? content.replace(/^Conversation: /, "") : content;
export const interactionName = (type: Interaction["type"]): string => INTERACTIONS[type];

/** As in “works at”: models and imports write “works_at”. */
export const relationName = (type: string): string => type.replaceAll("_", " ");
