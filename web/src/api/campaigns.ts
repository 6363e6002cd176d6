/**
 * What is asked of the server about campaigns; it is loaded with the place that shows them.
 *
 * `Eyes` says with whose eyes one looks: null for those of whoever asks, an empty text for those of any player.
 */
import { http, told, type Page } from "./client";
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Campaign = Schemas["CampaignOut"];
export type NewCampaign = Schemas["NewCampaign"];
export type CampaignChanges = Schemas["CampaignChanges"];
export type Player = Schemas["PlayerOut"];
export type Chapter = Schemas["ChapterOut"];
export type ChapterChanges = Schemas["ChapterChanges"];
export type Session = Schemas["SessionOut"];
export type NewSession = Schemas["NewSession"];
export type SessionChanges = Schemas["SessionChanges"];
export type Recap = Schemas["RecapOut"];
export type Shelves = Schemas["ShelvesOut"];
export type Memory = Schemas["MemoryOut"];
export type MemoryType = Schemas["MemoryType"];
export type NewCanon = Schemas["NewCanon"];
export type LogMessage = Schemas["MessageOut"];
export type Entity = Schemas["EntityOut"];
export type EntityKind = Schemas["EntityKind"];
export type NewEntity = Schemas["NewEntity"];
export type EntityChanges = Schemas["EntityChanges"];
export type Mentions = Schemas["MentionsOut"];
export type Tie = Schemas["TieOut"];
export type NewTie = Schemas["NewTie"];
export type Graph = Schemas["GraphOut"];
export type Proposal = Schemas["ProposalOut"];
export type Approval = Schemas["Approval"];
export type Decision = Schemas["Decision"];
export type Conflict = Schemas["ConflictOut"];
export type Ruling = Schemas["NewRuling"]["ruling"];
export type Asked = Schemas["NewQuestion"];
export type RecordAnswer = Schemas["RecordAnswer"];
export type BroughtLog = Schemas["BroughtLogOut"];
export type Brought = Schemas["BroughtOut"];
export type Arrival = Schemas["CampaignArrivalOut"];

export type Person = Schemas["Character"];

export type Eyes = string | null;

const MOST = 200;

const eyes = (player: Eyes) => ({ player: player ?? undefined });
const withId = (id: string) => ({ path: { id } });
const seen = (id: string, player: Eyes) => ({ path: { id }, query: eyes(player) });

/** The bytes of a file, as they are. */
const bytes = (file: File) => ({
  body: file as never,
  bodySerializer: (body: unknown) => body as File,
  headers: { "Content-Type": file.type || "application/octet-stream" },
});

// ── campaigns and chapters

export async function campaigns(): Promise<Campaign[]> {
  const all: Campaign[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: MOST, cursor };
    const page: Page<Campaign> = await told(http.GET("/api/campaigns", { params: { query } }));
    all.push(...page.items);
    cursor = page.next ?? undefined;
  } while (cursor);
  return all;
}

export const campaign = (id: string, player: Eyes): Promise<Campaign> =>
  told(http.GET("/api/campaigns/{id}", { params: seen(id, player) }));

export const makeCampaign = (body: NewCampaign): Promise<Campaign> => told(http.POST("/api/campaigns", { body }));

export const changeCampaign = (id: string, body: CampaignChanges): Promise<Campaign> =>
  told(http.PATCH("/api/campaigns/{id}", { params: withId(id), body }));

export async function deleteCampaign(id: string): Promise<void> {
  await told(http.DELETE("/api/campaigns/{id}", { params: withId(id) }));
}

export async function players(id: string, player: Eyes): Promise<Player[]> {
  return (await told(http.GET("/api/campaigns/{id}/players", { params: seen(id, player) }))).items;
}

export const addPlayer = (id: string, body: Schemas["NewPlayer"]): Promise<Player> =>
  told(http.POST("/api/campaigns/{id}/players", { params: withId(id), body }));

export const changeCharacter = (id: string, player: string, body: Schemas["NewRole"]): Promise<Player> =>
  told(
    http.POST("/api/campaigns/{id}/players/{player_id}/character", {
      params: { path: { id, player_id: player } },
      body,
    }),
  );

export async function removePlayer(id: string, player: string): Promise<void> {
  await told(http.DELETE("/api/campaigns/{id}/players/{player_id}", { params: { path: { id, player_id: player } } }));
}

export async function chapters(id: string): Promise<Chapter[]> {
  return (await told(http.GET("/api/campaigns/{id}/chapters", { params: withId(id) }))).items;
}

export const beginChapter = (id: string, name: string, goals: string[]): Promise<Chapter> =>
  told(http.POST("/api/campaigns/{id}/chapters", { params: withId(id), body: { name, goals } }));

export const changeChapter = (id: string, body: ChapterChanges): Promise<Chapter> =>
  told(http.PATCH("/api/chapters/{id}", { params: withId(id), body }));

export async function deleteChapter(id: string): Promise<void> {
  await told(http.DELETE("/api/chapters/{id}", { params: withId(id) }));
}

export function recap(id: string, since: string | undefined, player: Eyes): Promise<Recap> {
  const params = { path: { id }, query: { since, ...eyes(player) } };
  return told(http.GET("/api/campaigns/{id}/recap", { params }));
}

/** The whole story as Markdown, as far as the viewer may see. */
export async function story(id: string, player: Eyes): Promise<string> {
  return (await told(http.GET("/api/campaigns/{id}/story", { params: seen(id, player) }))).markdown;
}

// ── what is known

export const shelves = (id: string, player: Eyes): Promise<Shelves> =>
  told(http.GET("/api/campaigns/{id}/shelves", { params: seen(id, player) }));

export const addCanon = (id: string, body: NewCanon): Promise<Schemas["MemorySaved"]> =>
  told(http.POST("/api/campaigns/{id}/memories", { params: withId(id), body }));

export const changeMemory = (id: string, body: Schemas["MemoryChanges"]): Promise<Memory> =>
  told(http.PATCH("/api/memories/{id}", { params: withId(id), body }));

export async function forgetMemory(id: string): Promise<void> {
  await told(http.DELETE("/api/memories/{id}", { params: withId(id) }));
}

// ── sessions

export async function sessions(id: string, player: Eyes): Promise<Session[]> {
  return (await told(http.GET("/api/campaigns/{id}/sessions", { params: seen(id, player) }))).items;
}

export const startSession = (id: string, body: NewSession): Promise<Session> =>
  told(http.POST("/api/campaigns/{id}/sessions", { params: withId(id), body }));

/** Starts a chat with these characters that is played in the session. */
export const playSession = (id: string, characters: string[]): Promise<Schemas["ConversationOut"]> =>
  told(http.POST("/api/sessions/{id}/conversations", { params: withId(id), body: { character_ids: characters } }));

export const changeSession = (id: string, body: SessionChanges): Promise<Session> =>
  told(http.PATCH("/api/sessions/{id}", { params: withId(id), body }));

export const joinSession = (id: string, conversationId: string): Promise<Session> =>
  told(http.POST("/api/sessions/{id}/join", { params: withId(id), body: { conversation_id: conversationId } }));

export const endSession = (id: string): Promise<Session> =>
  told(http.POST("/api/sessions/{id}/end", { params: withId(id) }));

export async function digestSession(id: string): Promise<void> {
  await told(http.POST("/api/sessions/{id}/digest", { params: withId(id) }));
}

export const clearSession = (id: string): Promise<Schemas["ClearedOut"]> =>
  told(http.POST("/api/sessions/{id}/clear", { params: withId(id) }));

export async function deleteSession(id: string): Promise<void> {
  await told(http.DELETE("/api/sessions/{id}", { params: withId(id) }));
}

export async function sessionLog(id: string, player: Eyes): Promise<LogMessage[]> {
  return (await told(http.GET("/api/sessions/{id}/log", { params: seen(id, player) }))).items;
}

export async function sessionMemories(id: string, player: Eyes): Promise<Memory[]> {
  return (await told(http.GET("/api/sessions/{id}/memories", { params: seen(id, player) }))).items;
}

// ── the world

export async function entities(id: string, player: Eyes): Promise<Entity[]> {
  return (await told(http.GET("/api/campaigns/{id}/entities", { params: seen(id, player) }))).items;
}

export const entity = (id: string, player: Eyes): Promise<Entity> =>
  told(http.GET("/api/entities/{id}", { params: seen(id, player) }));

export const addEntity = (id: string, body: NewEntity): Promise<Entity> =>
  told(http.POST("/api/campaigns/{id}/entities", { params: withId(id), body }));

export const changeEntity = (id: string, body: EntityChanges): Promise<Entity> =>
  told(http.PATCH("/api/entities/{id}", { params: withId(id), body }));

export const mergeEntity = (id: string, into: string, hidden: string[] | null): Promise<Entity> =>
  told(http.POST("/api/entities/{id}/merge", { params: withId(id), body: { into, hidden_aliases: hidden } }));

export async function deleteEntity(id: string): Promise<void> {
  await told(http.DELETE("/api/entities/{id}", { params: withId(id) }));
}

export const mentions = (id: string, player: Eyes): Promise<Mentions> =>
  told(http.GET("/api/entities/{id}/mentions", { params: seen(id, player) }));

export const graph = (id: string, player: Eyes): Promise<Graph> =>
  told(http.GET("/api/campaigns/{id}/graph", { params: seen(id, player) }));

export const addTie = (body: NewTie): Promise<Tie> => told(http.POST("/api/ties", { body }));

export async function deleteTie(id: string): Promise<void> {
  await told(http.DELETE("/api/ties/{id}", { params: withId(id) }));
}

// ── what waits for whoever runs the game

export async function proposals(id: string, status: Decision): Promise<Page<Proposal>> {
  const params = { path: { id }, query: { status, limit: 500 } };
  return told(http.GET("/api/campaigns/{id}/proposals", { params }));
}

export const approve = (id: string, body: Approval): Promise<Proposal> =>
  told(http.POST("/api/proposals/{id}/approve", { params: withId(id), body }));

export const reject = (id: string): Promise<Proposal> =>
  told(http.POST("/api/proposals/{id}/reject", { params: withId(id) }));

export const mergeProposal = (id: string, into: string | null, hidden: string[] | null): Promise<Proposal> =>
  told(http.POST("/api/proposals/{id}/merge", { params: withId(id), body: { into, hidden_aliases: hidden } }));

/** Decides several at once; to undo it, send the same ids as `pending`. */
export async function decideMany(id: string, body: Schemas["ManyDecisions"]): Promise<Schemas["DecidedOut"][]> {
  return (await told(http.POST("/api/campaigns/{id}/proposals/decide", { params: withId(id), body }))).items;
}

export const undoDecision = (id: string): Promise<Proposal> =>
  told(http.POST("/api/proposals/{id}/undo", { params: withId(id) }));

export async function conflicts(id: string, open: boolean): Promise<Conflict[]> {
  const params = { path: { id }, query: { open } };
  return (await told(http.GET("/api/campaigns/{id}/conflicts", { params }))).items;
}

export const rule = (id: string, ruling: Ruling, note: string): Promise<Memory> =>
  told(http.POST("/api/proposals/{id}/rule", { params: withId(id), body: { ruling, note } }));

// ── asking the record

export const ask = (id: string, body: Asked): Promise<RecordAnswer> =>
  told(http.POST("/api/campaigns/{id}/ask", { params: withId(id), body }));

// ── files

export interface LogWish {
  name: string;
  day: string;
  readOnly: boolean;
  gmOnly: boolean;
}

export function bringLog(id: string, file: File, { name, day, readOnly, gmOnly }: LogWish): Promise<BroughtLog> {
  const query = { filename: file.name, name, day: day || undefined, read_only: readOnly, gm_only: gmOnly };
  return told(http.POST("/api/campaigns/{id}/logs", { params: { path: { id }, query }, ...bytes(file) }));
}

export function bringFile(
  id: string,
  format: "vault" | "lorebook" | "notes",
  file: File,
  { dryRun, replace }: { dryRun: boolean; replace: boolean },
): Promise<Brought> {
  const query = { format, filename: file.name, dry_run: dryRun, replace };
  return told(http.POST("/api/campaigns/{id}/import", { params: { path: { id }, query }, ...bytes(file) }));
}

export function bringCampaign(file: File): Promise<Arrival> {
  return told(http.POST("/api/campaigns/import", { ...bytes(file) }));
}

/** An address that the browser opens by itself. */
export function campaignFile(id: string, format: "json" | "vault" | "lorebook", player: Eyes): string {
  const query = new URLSearchParams({ format, ...(player === null ? {} : { player }) });
  return `/api/campaigns/${encodeURIComponent(id)}/export?${query}`;
}

// ── who can sit at a table

/** Users and characters, by name. */
export async function persons(): Promise<Person[]> {
  const page = await told(http.GET("/api/characters", { params: { query: { limit: 500 } } }));
  return page.items.toSorted((a, b) => a.name.localeCompare(b.name));
}
