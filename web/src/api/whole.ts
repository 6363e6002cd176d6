/** What is asked of the server about all of the workspace: who is tied to whom, what happened, who knows what. */
import { http, told, type Page } from "./client";
import type { operations } from "./schema";
import type { Event, EventDetail, GraphOfAll, Interaction, Knower, MemoryKnown, Partner, Summary } from "./types";

/** What is asked of the timeline. */
export type EventQuery = NonNullable<operations["list_events"]["parameters"]["query"]>;
export type InteractionQuery = NonNullable<operations["list_all_interactions"]["parameters"]["query"]>;
export type KnowingQuery = NonNullable<operations["list_who_knows"]["parameters"]["query"]>;

const AT_ONCE = 200;
const ROWS = 50;
const withId = (id: string) => ({ path: { id } });

// ── who is tied to whom

export const graph = (): Promise<GraphOfAll> => told(http.GET("/api/graph"));

export async function partners(id: string): Promise<Partner[]> {
  return (await told(http.GET("/api/persons/{id}/partners", { params: withId(id) }))).items;
}

// ── what happened

/** Those that began last first. */
export const events = (query: EventQuery, cursor?: string): Promise<Page<Event>> =>
  told(http.GET("/api/events", { params: { query: { limit: AT_ONCE, ...query, cursor } } }));

export const interactions = (query: InteractionQuery, cursor?: string): Promise<Page<Interaction>> =>
  told(http.GET("/api/interactions", { params: { query: { limit: AT_ONCE, ...query, cursor } } }));

/** With what was too long to stand in it. */
export const event = (id: string): Promise<EventDetail> =>
  told(http.GET("/api/events/{id}", { params: withId(id) }));

/** What a conversation came to so far, in its order. */
export async function summaries(conversationId: string): Promise<Summary[]> {
  const params = { ...withId(conversationId), query: { limit: ROWS } };
  return (await told(http.GET("/api/conversations/{id}/summaries", { params }))).items;
}

// ── who knows what

export const knowing = (query: KnowingQuery, cursor?: string): Promise<Page<MemoryKnown>> =>
  told(http.GET("/api/knowing", { params: { query: { limit: ROWS, ...query, cursor } } }));

export async function knowers(memoryId: string): Promise<Knower[]> {
  return (await told(http.GET("/api/memories/{id}/knowers", { params: withId(memoryId) }))).items;
}
