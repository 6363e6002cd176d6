/** The server's words, named. They are made from its OpenAPI document; only what a socket says is written by hand. */
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Character = Schemas["Character"];
export type NewCharacter = Schemas["NewCharacter"];
export type CharacterChanges = Schemas["CharacterChanges"];
export type Conversation = Schemas["ConversationOut"];
export type Resting = Schemas["RestingOut"];
export type ConversationChanges = Schemas["ConversationChanges"];
export type Imported = Schemas["ImportedCharacter"];
export type ImportedPersonas = Schemas["ImportedPersonas"];
export type Message = Schemas["MessageOut"];
export type MessageHit = Schemas["MessageHit"];
export type Memory = Schemas["MemoryOut"];
export type MemoryChanges = Schemas["MemoryChanges"];
export type NewMemory = Partial<Schemas["NewMemory"]> & { content: string };
export type SavedMemory = Schemas["MemorySaved"];
export type MemoryType = Memory["type"];
export type Category = NonNullable<Memory["category"]>;
export type Status = Memory["status"];
export type Hit = Schemas["HitOut"];
export type Hits = Schemas["HitList"];
export type Dropped = Schemas["DroppedOut"];
export type WhyNot = Schemas["WhyNot"];
export type Known = Schemas["KnownOut"];
export type Knower = Schemas["KnowerOut"];
export type Link = Schemas["LinkOut"];
export type Revision = Schemas["RevisionOut"];
export type Interaction = Schemas["InteractionOut"];
export type Campaign = Schemas["CampaignOut"];
export type Proposal = Schemas["ProposalOut"];
export type Conflict = Schemas["ConflictOut"];
export type Ruling = Schemas["NewRuling"]["ruling"];
export type Metrics = Schemas["Metrics"];
export type Models = Schemas["Models"];
export type ModelWish = Schemas["ModelWish"];
export type Purpose = Schemas["Purpose"];
export type FieldProblem = Schemas["FieldProblem"];
export type PromptMemory = Schemas["PromptMemory"];
export type PromptSection = Schemas["PromptSection"];
export type PromptTalk = Schemas["PromptTalk"];
export type Template = Schemas["TemplateOut"];
export type TemplateCheck = Schemas["TemplateCheck"];
export type TemplateSummary = Schemas["TemplateSummary"];
export type TemplateVariable = Schemas["VariableOut"];
export type ResolvedSection = Schemas["ResolvedSection"];
export type RoleName = Schemas["RoleName"];
export type TemplateVersion = Schemas["TemplateVersionOut"];
export type XRay = Schemas["XRayOut"];

export type Analysis = Schemas["AnalysisOut"];
export type Event = Schemas["EventOut"];
export type Gossip = Schemas["SuggestedGossip"];
export type GraphOfAll = Schemas["GraphOfAll"];
export type Bond = Schemas["BondOut"];
export type MemoryKnown = Schemas["MemoryKnown"];
export type EventDetail = Schemas["EventDetail"];
export type EventType = Event["type"];
export type Summary = Schemas["SummaryOut"];
export type Me = Schemas["Me"];
/** Who says a message; nobody named: the user of the chat. */
export type Voice = Pick<Schemas["NewMessage"], "person_id" | "as_narrator">;
export type NewConversation = Schemas["NewConversation"];
export type NewPin = Schemas["NewPin"];
export type Partner = Schemas["PartnerOut"];
export type Pinned = Schemas["MemorySaved"];
export type Job = Schemas["JobOut"];

/** A template as it is written: the server says what is wrong with it. */
export type Written = Record<string, unknown>;

/** What a reply being written says, in this order: one turn, any number of deltas, one done. */
export type TurnEvent =
  | { type: "turn"; user_message: Message | null; reply: Message }
  | { type: "delta"; text: string }
  | { type: "done"; reply: Message };

/** What the live socket says of conversations. */
export type ChatEvent =
  | { type: "message.delta"; conversation_id: string; message_id: string; text: string }
  | { type: "message.done"; conversation_id: string; message_id: string; message: Message }
  | { type: "conversation.title"; conversation_id: string; title: string }
  | { type: "conversation.icon"; conversation_id: string; icon: string }
  | { type: "conversation.state"; conversation_id: string; state: Conversation["state"] }
  | { type: "conversation.pinned"; conversation_id: string; pinned: boolean }
  | { type: "conversation.deleted"; conversation_id: string };

/** What it says of memories. One that was withdrawn is told as changed. */
export type MemoryEvent =
  | { type: "memory.created" | "memory.updated"; conversation_id: string | null; memory_id: string; memory: Memory }
  | { type: "memory.deleted"; conversation_id: string | null; memory_id: string };

/** What it says of the work in the background. */
export type JobEvent = {
  type: "job.started" | "job.finished" | "job.failed";
  conversation_id: string | null;
  job_id: string;
  kind: string;
};

export type LiveEvent = ChatEvent | MemoryEvent | JobEvent;

export const isOfChat = (event: LiveEvent): event is ChatEvent => /^(message|conversation)\./.test(event.type);
export const isOfMemory = (event: LiveEvent): event is MemoryEvent => event.type.startsWith("memory.");
export const isOfJob = (event: LiveEvent): event is JobEvent => event.type.startsWith("job.");
