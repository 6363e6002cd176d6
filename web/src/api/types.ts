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
  | { type: "conversation.icon"; conversation_id: string; icon: string };
