/** What is asked of the server about the house itself: how it is set up, who may come in, what goes in and out, what it is at. */
import { http, told, type Page } from "./client";
import { Problem } from "./problem";
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Token = Schemas["TokenOut"];
export type MadeToken = Schemas["MadeToken"];
export type NewToken = Schemas["NewToken"];
export type Role = Schemas["Role"];
export type User = Schemas["UserOut"];
export type ModelTest = Schemas["ModelTest"];
export type Purpose = Schemas["Purpose"];
export type ModelWish = Schemas["ModelWish"];
export type ModelTrust = Schemas["ModelTrust"];
export type Arrival = Schemas["ArrivalOut"];
export type Job = Schemas["JobOut"];
export type JobList = Schemas["JobList"];
export type Queue = Schemas["QueueOut"];
export type Reading = Schemas["ReadingOut"];
export type Config = Record<string, unknown>;

const MOST = 200;
const withId = (id: string) => ({ path: { id } });

// ── models

/** Tests the model in use, or the one in `wish`; nothing is saved. */
export const tryModel = (purpose: Purpose, wish: ModelWish | null = null): Promise<ModelTest> =>
  told(http.POST("/api/models/test", { body: { purpose, wish } }));

/** The chat models that a server offers. */
export const listModels = (purpose: Purpose, wish: ModelWish): Promise<ModelTest> =>
  told(http.POST("/api/models/list", { body: { purpose, wish } }));

/** How many tokens the chat model takes, if its server says so. */
export async function contextWindow(): Promise<number | null> {
  return (await told(http.GET("/api/models/window"))).context_window;
}

// ── the config of conversations

/** What new conversations are set up with, where it differs from the defaults. */
export const usualConfig = (): Promise<Config> => told(http.GET("/api/config"));

export const setUsualConfig = (body: Config): Promise<Config> => told(http.PUT("/api/config", { body }));

// ── users and tokens

export async function users(): Promise<User[]> {
  return (await told(http.GET("/api/users", { params: { query: { limit: MOST } } }))).items;
}

export const makeUser = (name: string): Promise<User> => told(http.POST("/api/users", { body: { name } }));

export async function deleteUser(id: string): Promise<void> {
  await told(http.DELETE("/api/users/{id}", { params: withId(id) }));
}

export async function tokens(): Promise<Token[]> {
  return (await told(http.GET("/api/tokens", { params: { query: { limit: MOST } } }))).items;
}

export const makeToken = (body: NewToken): Promise<MadeToken> => told(http.POST("/api/tokens", { body }));

export const revokeToken = (id: string): Promise<Token> =>
  told(http.DELETE("/api/tokens/{id}", { params: withId(id) }));

// ── the demo world

/** Whether the demo is in this workspace, and the ids of its people and chats; null for users who may not open it. */
export async function findDemo(): Promise<{ here: boolean; ids: string[] } | null> {
  try {
    return await told(http.GET("/api/demo"));
  } catch (reason) {
    if (reason instanceof Problem) return null;
    throw reason;
  }
}

export const openDemo = (): Promise<Arrival> => told(http.POST("/api/demo"));

export async function removeDemo(): Promise<void> {
  await told(http.DELETE("/api/demo"));
}

// ── the workspace as a file

export const workspaceFile = (format: "jsonl" | "markdown"): string => `/api/export?format=${format}`;

export function importWorkspace(file: File, wish: { dryRun: boolean; replace: boolean }): Promise<Arrival> {
  const query = { dry_run: wish.dryRun, replace: wish.replace };
  const raw = { body: file as never, bodySerializer: (body: unknown) => body as File };
  const headers = { "Content-Type": "application/octet-stream" };
  return told(http.POST("/api/import", { params: { query }, ...raw, headers }));
}

export type ImportResult = Schemas["ImportOut"];

export interface ImportOptions {
  dryRun: boolean;
  replace: boolean;
  characterId: string | null;
}

/** A card, chat, export, lorebook or workspace: the server finds out what it is. */
export function importFile(file: File, options: ImportOptions): Promise<ImportResult> {
  const query = {
    filename: file.name,
    dry_run: options.dryRun,
    replace: options.replace,
    character_id: options.characterId,
  };
  const raw = { body: file as never, bodySerializer: (body: unknown) => body as File };
  const headers = { "Content-Type": "application/octet-stream" };
  return told(http.POST("/api/imports", { params: { query }, ...raw, headers }));
}

// ── background work

export const jobs = (): Promise<JobList> => told(http.GET("/api/jobs", { params: { query: { limit: MOST } } }));
export const pause = (): Promise<Queue> => told(http.POST("/api/jobs/pause"));
export const resume = (): Promise<Queue> => told(http.POST("/api/jobs/resume"));
export const retry = (id: string): Promise<Job> => told(http.POST("/api/jobs/{id}/retry", { params: withId(id) }));

/** What was read and partly refused, the latest first. */
export function refusedReadings(cursor?: string): Promise<Page<Reading>> {
  return told(http.GET("/api/readings", { params: { query: { refused: true, limit: 20, cursor } } }));
}
