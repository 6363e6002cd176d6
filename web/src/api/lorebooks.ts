/** Requests for lorebooks. Loaded with the pages that show them. */
import { http, told } from "./client";
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Lorebook = Schemas["LorebookOut"];
/** The server sends all fields; they are optional only in what it accepts. */
export type LorebookEntry = Required<Schemas["LorebookEntry"]>;
export type LorebookContent = Required<Omit<Schemas["LorebookContent"], "entries">> & { entries: LorebookEntry[] };
export type ImportedLorebook = Schemas["ImportedLorebook"];

/** A person, a campaign, or, with neither, the whole workspace. */
export interface LorebookOwner {
  person_id?: string;
  campaign_id?: string;
}

const one = (id: string, owner: LorebookOwner) => ({ params: { path: { id }, query: { ...owner } } });

export async function lorebooks(owner: LorebookOwner): Promise<Lorebook[]> {
  return (await told(http.GET("/api/lorebooks", { params: { query: { ...owner } } }))).items;
}

export function importLorebook(owner: LorebookOwner, file: File): Promise<ImportedLorebook> {
  const upload = { body: file as never, bodySerializer: (body: unknown) => body as File };
  const query = { ...owner, filename: file.name };
  const headers = { "Content-Type": "application/json" };
  return told(http.POST("/api/lorebooks", { params: { query }, ...upload, headers }));
}

export function createLorebook(owner: LorebookOwner, name: string): Promise<ImportedLorebook> {
  return importLorebook(owner, new File([JSON.stringify({ name, entries: {} })], `${name}.json`));
}

export async function lorebookContent(owner: LorebookOwner, id: string): Promise<LorebookContent> {
  return (await told(http.GET("/api/lorebooks/{id}/content", one(id, owner)))) as LorebookContent;
}

export async function saveLorebook(owner: LorebookOwner, id: string, body: LorebookContent): Promise<LorebookContent> {
  return (await told(http.PUT("/api/lorebooks/{id}/content", { ...one(id, owner), body }))) as LorebookContent;
}

export const switchLorebook = (owner: LorebookOwner, id: string, enabled: boolean): Promise<Lorebook> =>
  told(http.PATCH("/api/lorebooks/{id}", { ...one(id, owner), body: { enabled } }));

export async function deleteLorebook(owner: LorebookOwner, id: string): Promise<void> {
  await told(http.DELETE("/api/lorebooks/{id}", one(id, owner)));
}

/** The address of the lorebook as a World Info file, which SillyTavern imports. */
export function lorebookFile(owner: LorebookOwner, id: string): string {
  const query = new URLSearchParams({ ...owner, form: "world_info" });
  return `/api/lorebooks/${encodeURIComponent(id)}?${query}`;
}
