/**
 * The one door to the server: every request of the application is a method here, and fails with a `Problem`.
 *
 * Paths, bodies and answers are checked against the server's OpenAPI document when the application is built.
 */
import createClient from "openapi-fetch";
import { LOCKED, problemOf, unreachable } from "./problem";
import type { components, operations, paths } from "./schema";
import { serverSentEvents } from "./sse";
import type { ConfigSchema } from "../config/fields";
import type {
  Analysis,
  Campaign,
  Character,
  CharacterChanges,
  Conflict,
  Conversation,
  ConversationChanges,
  Event,
  Gossip,
  Hits,
  Imported,
  ImportedPersonas,
  Interaction,
  Job,
  Knower,
  Known,
  Link,
  Me,
  Memory,
  MemoryChanges,
  Message,
  MessageHit,
  Metrics,
  Models,
  ModelWish,
  NewCharacter,
  NewConversation,
  NewMemory,
  NewPin,
  Partner,
  Pinned,
  Proposal,
  Purpose,
  Resting,
  Revision,
  Ruling,
  SavedMemory,
  Template,
  TemplateCheck,
  TemplateSummary,
  TemplateVariable,
  TemplateVersion,
  TurnEvent,
  Voice,
  WhyNot,
  Written,
  XRay,
} from "./types";

export interface Page<T> {
  items: T[];
  next: string | null;
}

type Schemas = components["schemas"];

/** What is asked of the list of memories. */
export type MemoryQuery = NonNullable<operations["list_memories"]["parameters"]["query"]>;
/** What is asked of recall; what is left out is as it would be for a reply. */
export type Question = Partial<Schemas["NewSearch"]> & { query: string };
export type Turn = AsyncGenerator<TurnEvent>;

export const http = createClient<paths>({ baseUrl: "", headers: { Accept: "application/json" } });
const streamed = { headers: { Accept: "text/event-stream" }, parseAs: "stream" } as const;
const PAGE = 50;
const MEMORIES = 200;
const HITS = 50;
const PINNED = 200;

export class Client {
  /** `onLocked` is told whenever the server wants a token. */
  constructor(onLocked: () => void) {
    http.use({
      onResponse: ({ response }) => {
        if (response.status === LOCKED) onLocked();
      },
    });
  }

  /** Kept by the browser where no script can read it. */
  async logIn(token: string): Promise<void> {
    await told(http.POST("/api/session", { body: { token } }));
  }

  // ── conversations

  conversations(cursor?: string): Promise<Page<Conversation>> {
    return told(http.GET("/api/conversations", { params: { query: { limit: PAGE, cursor } } }));
  }

  /** All that are pinned, however old. */
  async pinnedConversations(): Promise<Conversation[]> {
    const query = { limit: PINNED, pinned: true };
    return (await told(http.GET("/api/conversations", { params: { query } }))).items;
  }

  conversation(id: string): Promise<Conversation> {
    return told(http.GET("/api/conversations/{id}", { params: { path: { id } } }));
  }

  start(conversation: NewConversation): Promise<Conversation> {
    return told(http.POST("/api/conversations", { body: conversation }));
  }

  change(id: string, patch: ConversationChanges): Promise<Conversation> {
    return told(http.PATCH("/api/conversations/{id}", { params: { path: { id } }, body: patch }));
  }

  /** What rests on it alone, and would go with it. */
  resting(id: string): Promise<Resting> {
    return told(http.GET("/api/conversations/{id}/resting", { params: { path: { id } } }));
  }

  async deleteConversation(id: string, keepMemories: boolean): Promise<void> {
    const query = { keep_memories: keepMemories };
    await told(http.DELETE("/api/conversations/{id}", { params: { path: { id }, query } }));
  }

  branch(id: string, messageId: string): Promise<Conversation> {
    const body = { message_id: messageId };
    return told(http.POST("/api/conversations/{id}/branch", { params: { path: { id } }, body }));
  }

  // ── messages

  /** The newest come first; the cursor leads to older ones. */
  messages(id: string, cursor?: string, limit = PAGE): Promise<Page<Message>> {
    const query = { limit, cursor, newest_first: true };
    return told(http.GET("/api/conversations/{id}/messages", { params: { path: { id }, query } }));
  }

  /** Messages that contain all these words: of one chat, or of all that are not private. */
  searchMessages(query: string, conversationId?: string, cursor?: string): Promise<Page<MessageHit>> {
    const asked = { query, conversation_id: conversationId, cursor, limit: HITS };
    return told(http.GET("/api/messages/search", { params: { query: asked } }));
  }

  choose(id: string, messageId: string, index: number): Promise<Message> {
    const params = { path: { id, message_id: messageId } };
    return told(http.POST("/api/conversations/{id}/messages/{message_id}/choose", { params, body: { index } }));
  }

  edit(id: string, messageId: string, content: string): Promise<Message> {
    const params = { path: { id, message_id: messageId } };
    return told(http.PATCH("/api/conversations/{id}/messages/{message_id}", { params, body: { content } }));
  }

  /** The ids of what is gone. */
  async deleteMessage(id: string, messageId: string, fromHere: boolean): Promise<string[]> {
    const params = { path: { id, message_id: messageId }, query: { from_here: fromHere } };
    return (await told(http.DELETE("/api/conversations/{id}/messages/{message_id}", { params }))).deleted;
  }

  /** The ids of what is part of the talk again. */
  async restoreMessage(id: string, messageId: string): Promise<string[]> {
    const params = { path: { id, message_id: messageId } };
    return (await told(http.POST("/api/conversations/{id}/messages/{message_id}/restore", { params }))).restored;
  }

  // ── replies, as they are written

  /** `speakerId`: who is to answer; null: whoever is named, or next. */
  say(id: string, content: string, speakerId: string | null, voice: Voice, signal: AbortSignal): Turn {
    const body = { content, stream: true, speaker_id: speakerId, ...voice };
    const path = "/api/conversations/{id}/messages";
    return turn(http.POST(path, { params: { path: { id } }, body, signal, ...streamed }));
  }

  /** Adds a message that nobody replies to. */
  async note(id: string, content: string, voice: Voice): Promise<Message | null> {
    const body = { content, reply: false, ...voice };
    const added = await told(http.POST("/api/conversations/{id}/messages", { params: { path: { id } }, body }));
    return typeof added === "string" ? null : added.user_message;
  }

  regenerate(id: string, messageId: string, signal: AbortSignal): Turn {
    const params = { path: { id, message_id: messageId } };
    const path = "/api/conversations/{id}/messages/{message_id}/regenerate";
    return turn(http.POST(path, { params, body: { stream: true }, signal, ...streamed }));
  }

  goOn(id: string, messageId: string, signal: AbortSignal): Turn {
    const params = { path: { id, message_id: messageId } };
    const path = "/api/conversations/{id}/messages/{message_id}/continue";
    return turn(http.POST(path, { params, body: { stream: true }, signal, ...streamed }));
  }

  /** The reply being written now, with all that was written before. */
  follow(id: string, signal: AbortSignal): Turn {
    return turn(http.GET("/api/conversations/{id}/stream", { params: { path: { id } }, signal, ...streamed }));
  }

  async stop(id: string): Promise<void> {
    await told(http.POST("/api/conversations/{id}/stop", { params: { path: { id } } }));
  }

  // ── memories

  /** The latest first. */
  memories(query: MemoryQuery, cursor?: string): Promise<Page<Memory> & { total?: number | null }> {
    return told(http.GET("/api/memories", { params: { query: { limit: MEMORIES, ...query, cursor } } }));
  }

  memory(id: string): Promise<Memory> {
    return told(http.GET("/api/memories/{id}", { params: { path: { id } } }));
  }

  remember(memory: NewMemory): Promise<SavedMemory> {
    return told(http.POST("/api/memories", { body: memory as Schemas["NewMemory"] }));
  }

  changeMemory(id: string, changes: Partial<MemoryChanges>): Promise<Memory> {
    const body = changes as MemoryChanges;
    return told(http.PATCH("/api/memories/{id}", { params: { path: { id } }, body }));
  }

  /** For good. */
  async deleteMemory(id: string): Promise<void> {
    await told(http.DELETE("/api/memories/{id}", { params: { path: { id } } }));
  }

  withdraw(id: string): Promise<Memory> {
    return told(http.POST("/api/memories/{id}/withdraw", { params: { path: { id } } }));
  }

  restore(id: string): Promise<Memory> {
    return told(http.POST("/api/memories/{id}/restore", { params: { path: { id } } }));
  }

  // Decisions go out also where the page is closed right after them (`keepalive`).

  approve(id: string): Promise<Memory> {
    return told(http.POST("/api/memories/{id}/approve", { params: { path: { id } }, keepalive: true }));
  }

  reject(id: string): Promise<Memory> {
    return told(http.POST("/api/memories/{id}/reject", { params: { path: { id } }, keepalive: true }));
  }

  undoMemory(id: string): Promise<Memory> {
    return told(http.POST("/api/memories/{id}/undo", { params: { path: { id } } }));
  }

  merge(id: string, otherIds: string[], content: string): Promise<Memory> {
    const body = { other_ids: otherIds, content };
    return told(http.POST("/api/memories/{id}/merge", { params: { path: { id } }, body }));
  }

  proposeMerge(ids: string[]): Promise<Schemas["MergeProposalOut"]> {
    return told(http.POST("/api/memories/merge-proposal", { body: { ids } }));
  }

  /** Counts the memories about the caller. */
  countAboutMe(): Promise<Schemas["ForgottenOut"]> {
    return told(http.DELETE("/api/memories/about-me", { params: { query: { dry_run: true } } }));
  }

  /** Deletes them permanently; `expected` is the number that was confirmed. */
  forgetAboutMe(expected: number): Promise<Schemas["ForgottenOut"]> {
    return told(http.DELETE("/api/memories/about-me", { params: { query: { expected } } }));
  }

  /** By words and by meaning, with the reason of each, and what was looked at and left out. */
  search(question: Question): Promise<Hits> {
    const body = { include: ["memories"], explain: true, limit: HITS, ...question };
    return told(http.POST("/api/memories/search", { body: body as Schemas["NewSearch"] }));
  }

  /** Which step of that search, or of the recall for a reply in `reply_in`, leaves this memory out. */
  whyNot(id: string, question: Question & { reply_in?: string }): Promise<WhyNot> {
    const body = question as Schemas["WhyNotAsked"];
    return told(http.POST("/api/memories/{id}/why-not", { params: { path: { id } }, body }));
  }

  async history(id: string): Promise<Revision[]> {
    return (await told(http.GET("/api/memories/{id}/history", { params: { path: { id } } }))).items;
  }

  async source(id: string): Promise<Message[]> {
    return (await told(http.GET("/api/memories/{id}/source", { params: { path: { id } } }))).items;
  }

  async links(id: string): Promise<Link[]> {
    return (await told(http.GET("/api/memories/{id}/links", { params: { path: { id } } }))).items;
  }

  async knowers(id: string): Promise<Knower[]> {
    return (await told(http.GET("/api/memories/{id}/knowers", { params: { path: { id } } }))).items;
  }

  /** What somebody knows, or knew then. */
  knowledge(personId: string, asOf?: string, cursor?: string): Promise<Page<Known>> {
    const params = { path: { id: personId }, query: { limit: MEMORIES, as_of: asOf, cursor } };
    return told(http.GET("/api/persons/{id}/knowledge", { params }));
  }

  interaction(id: string): Promise<Interaction> {
    return told(http.GET("/api/interactions/{id}", { params: { path: { id } } }));
  }

  /** Reads what was said for facts, now, and waits for what comes of it. */
  async extract(conversationId: string): Promise<Memory[]> {
    const params = { path: { id: conversationId }, query: { wait: true, again: true } };
    return (await told(http.POST("/api/conversations/{id}/extract", { params }))).formed;
  }

  // ── campaigns

  async campaigns(): Promise<Campaign[]> {
    return (await told(http.GET("/api/campaigns", { params: { query: { limit: 200 } } }))).items;
  }

  /** What waits for whoever runs the game. */
  async proposals(campaignId: string): Promise<Proposal[]> {
    const params = { path: { id: campaignId }, query: { limit: 200 } };
    return (await told(http.GET("/api/campaigns/{id}/proposals", { params }))).items;
  }

  async conflicts(campaignId: string): Promise<Conflict[]> {
    return (await told(http.GET("/api/campaigns/{id}/conflicts", { params: { path: { id: campaignId } } }))).items;
  }

  approveProposal(id: string, edits: Partial<Schemas["Approval"]>): Promise<Proposal> {
    const body = edits as Schemas["Approval"];
    return told(http.POST("/api/proposals/{id}/approve", { params: { path: { id } }, body, keepalive: true }));
  }

  rejectProposal(id: string): Promise<Proposal> {
    return told(http.POST("/api/proposals/{id}/reject", { params: { path: { id } }, keepalive: true }));
  }

  undoProposal(id: string): Promise<Proposal> {
    return told(http.POST("/api/proposals/{id}/undo", { params: { path: { id } } }));
  }

  rule(id: string, ruling: Ruling): Promise<Memory> {
    return told(http.POST("/api/proposals/{id}/rule", { params: { path: { id } }, body: { ruling, note: "" } }));
  }

  // ── prompts and templates

  /** What the model was told for this reply, or for the last one. */
  prompt(id: string, messageId?: string): Promise<XRay> {
    const query = { message_id: messageId };
    return told(http.GET("/api/conversations/{id}/prompt", { params: { path: { id }, query } }));
  }

  /** What it would be told if this were said. */
  nextPrompt(id: string, content: string): Promise<XRay> {
    return told(http.POST("/api/conversations/{id}/prompt", { params: { path: { id } }, body: { content } }));
  }

  async templates(): Promise<TemplateSummary[]> {
    return (await told(http.GET("/api/templates"))).items;
  }

  template(id: string): Promise<Template> {
    return told(http.GET("/api/templates/{id}", { params: { path: { id } } }));
  }

  /** What lines of a template can use. */
  async templateVariables(): Promise<TemplateVariable[]> {
    return (await told(http.GET("/api/templates/variables"))).items;
  }

  createTemplate(document: Written): Promise<Template> {
    return told(http.POST("/api/templates", { body: document }));
  }

  /** Refused if `version` is not the newest any more. */
  replaceTemplate(id: string, document: Written, version: number): Promise<Template> {
    return told(http.PUT("/api/templates/{id}", { params: { path: { id }, query: { version } }, body: document }));
  }

  async deleteTemplate(id: string): Promise<void> {
    await told(http.DELETE("/api/templates/{id}", { params: { path: { id } } }));
  }

  /** The newest come first. */
  async templateVersions(id: string): Promise<TemplateVersion[]> {
    return (await told(http.GET("/api/templates/{id}/versions", { params: { path: { id } } }))).items;
  }

  async templateDiff(id: string, from: number, to: number): Promise<string> {
    const params = { path: { id }, query: { from, to } };
    return (await told(http.GET("/api/templates/{id}/diff", { params }))).diff;
  }

  checkTemplate(document: Written): Promise<TemplateCheck> {
    return told(http.POST("/api/templates/validate", { body: document }));
  }

  /** What a model would be told with it: in this conversation, or in a small sample. */
  previewTemplate(document: Written, conversationId: string | null, content: string): Promise<XRay> {
    const body = { document, conversation_id: conversationId, content };
    return told(http.POST("/api/templates/preview", { body }));
  }

  // ── characters and models

  /** Everybody: characters, narrators and users. */
  characters(cursor?: string): Promise<Page<Character>> {
    const query = { limit: 200, cursor };
    return told(http.GET("/api/characters", { params: { query } }));
  }

  createCharacter(character: NewCharacter): Promise<Character> {
    return told(http.POST("/api/characters", { body: character }));
  }

  changeCharacter(id: string, patch: CharacterChanges): Promise<Character> {
    return told(http.PATCH("/api/characters/{id}", { params: { path: { id } }, body: patch }));
  }

  /** Personas of SillyTavern: its settings file, or a backup of its personas. */
  importPersonas(file: File): Promise<ImportedPersonas> {
    const upload = { body: file as never, bodySerializer: (body: unknown) => body as unknown as File };
    const headers = { "Content-Type": "application/json" };
    return told(http.POST("/api/characters/personas", { ...upload, headers }));
  }

  async deleteCharacter(id: string): Promise<void> {
    await told(http.DELETE("/api/characters/{id}", { params: { path: { id } } }));
  }

  importCharacter(file: File): Promise<Imported> {
    const params = { query: { filename: file.name } };
    const raw = { body: file as never, bodySerializer: (body: unknown) => body as File };
    const headers = { "Content-Type": file.type || "application/octet-stream" };
    return told(http.POST("/api/characters/import", { params, ...raw, headers }));
  }

  me(): Promise<Me> {
    return told(http.GET("/api/me"));
  }

  character(id: string): Promise<Character> {
    return told(http.GET("/api/characters/{id}", { params: { path: { id } } }));
  }

  setPicture(id: string, file: File): Promise<Character> {
    const raw = { body: file as never, bodySerializer: (body: unknown) => body as File };
    const headers = { "Content-Type": file.type || "application/octet-stream" };
    return told(http.PUT("/api/characters/{id}/avatar", { params: { path: { id } }, ...raw, headers }));
  }

  /** How many tokens each of these texts takes. */
  async cardTokens(texts: Record<string, string>): Promise<Record<string, number>> {
    return (await told(http.POST("/api/characters/tokens", { body: { texts } }))).tokens;
  }

  async partners(id: string): Promise<Partner[]> {
    return (await told(http.GET("/api/persons/{id}/partners", { params: { path: { id } } }))).items;
  }

  eventsOf(personId: string, cursor?: string): Promise<Page<Event>> {
    const query = { person_id: personId, limit: PAGE, cursor };
    return told(http.GET("/api/events", { params: { query } }));
  }

  interactionsOf(personId: string, cursor?: string): Promise<Page<Interaction>> {
    const query = { person_id: personId, limit: PAGE, cursor };
    return told(http.GET("/api/interactions", { params: { query } }));
  }

  // ── beside a conversation

  /** The one definition of what can be set for a conversation. */
  async configSchema(): Promise<ConfigSchema> {
    return (await told(http.GET("/api/config/schema"))) as unknown as ConfigSchema;
  }

  /** The event that the conversation is; none of a private one, or where nothing was said. */
  async eventOf(conversationId: string): Promise<Event | null> {
    const query = { conversation_id: conversationId, type: ["interact" as const], limit: 1 };
    return (await told(http.GET("/api/events", { params: { query } }))).items[0] ?? null;
  }

  async interactionsIn(id: string): Promise<Interaction[]> {
    const params = { path: { id }, query: { limit: PAGE } };
    return (await told(http.GET("/api/conversations/{id}/interactions", { params }))).items;
  }

  /** What could be told with it. */
  gossip(id: string, content: string): Promise<Gossip> {
    const body = { content, roll: true };
    return told(http.POST("/api/conversations/{id}/gossip", { params: { path: { id } }, body }));
  }

  pin(id: string, pin: NewPin): Promise<Pinned> {
    return told(http.POST("/api/conversations/{id}/pins", { params: { path: { id } }, body: pin }));
  }

  /** The latest first. */
  async analyses(id: string): Promise<Analysis[]> {
    const params = { path: { id }, query: { limit: PAGE } };
    return (await told(http.GET("/api/conversations/{id}/analyses", { params }))).items;
  }

  /** Answers when it is done. */
  async analyze(id: string): Promise<void> {
    const params = { path: { id }, query: { wait: true, again: true } };
    await told(http.POST("/api/conversations/{id}/analyze", { params }));
  }

  async runningJobs(): Promise<Job[]> {
    return (await told(http.GET("/api/jobs", { params: { query: { state: "running", limit: 200 } } }))).items;
  }

  /** How the workspace fares: cheap to ask for, whatever it holds. */
  metrics(): Promise<Metrics> {
    return told(http.GET("/api/memory-metrics"));
  }

  models(): Promise<Models> {
    return told(http.GET("/api/models"));
  }

  /** What the whole workspace talks with; null goes back to what the operator chose. */
  chooseModel(purpose: Purpose, wish: ModelWish | null): Promise<Models> {
    return told(http.PUT("/api/models", { body: { [purpose]: wish } }));
  }

  discoverModels(): Promise<Models> {
    return told(http.POST("/api/models/discover"));
  }
}

// ── addresses that a browser opens by itself

export function conversationFile(id: string): string {
  return `/api/conversations/${encodeURIComponent(id)}/export`;
}

export function characterFile(id: string, format: "json" | "png" | "charx"): string {
  return `/api/characters/${encodeURIComponent(id)}/export?format=${format}`;
}

// ── answers

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

export async function told<T>(asked: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await asked.catch((reason: unknown) => {
    throw explained(reason);
  });
  if (!response.ok) throw problemOf(response.status, error);
  return data as T;
}

async function* turn(asked: Promise<Answer<ReadableStream<Uint8Array> | null>>): Turn {
  const body = await told(asked);
  if (!body) return;
  try {
    for await (const { event, data } of serverSentEvents(body)) {
      yield { type: event, ...(JSON.parse(data) as object) } as TurnEvent;
    }
  } catch (reason) {
    throw explained(reason);
  }
}

/** A browser says of a lost connection only that something failed. */
function explained(reason: unknown): unknown {
  return reason instanceof TypeError ? unreachable() : reason;
}
