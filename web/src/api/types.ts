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
export type Message = Schemas["MessageOut"];
export type Metrics = Schemas["Metrics"];
export type Models = Schemas["Models"];
export type ModelWish = Schemas["ModelWish"];
export type FieldProblem = Schemas["FieldProblem"];
export type PromptMemory = Schemas["PromptMemory"];
export type PromptSection = Schemas["PromptSection"];
export type PromptTalk = Schemas["PromptTalk"];
export type Template = Schemas["TemplateOut"];
export type TemplateCheck = Schemas["TemplateCheck"];
export type TemplateSummary = Schemas["TemplateSummary"];
export type TemplateVersion = Schemas["TemplateVersionOut"];
export type XRay = Schemas["XRayOut"];

export type Analysis = Schemas["AnalysisOut"];
export type Event = Schemas["EventOut"];
export type Gossip = Schemas["SuggestedGossip"];
export type Hit = Schemas["HitOut"];
export type Interaction = Schemas["InteractionOut"];
export type Known = Schemas["KnownOut"];
export type Me = Schemas["Me"];
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

/** What the live socket says, of what this application shows. */
export type LiveEvent =
  | { type: "message.delta"; conversation_id: string; message_id: string; text: string }
  | { type: "message.done"; conversation_id: string; message_id: string; message: Message }
  | { type: "conversation.title"; conversation_id: string; title: string }
  | { type: "conversation.icon"; conversation_id: string; icon: string }
  | JobEvent;

/** Of the work in the background. */
export interface JobEvent {
  type: "job.started" | "job.finished" | "job.failed";
  conversation_id: string | null;
  job_id: string;
  kind: string;
}
