import { expect, it } from "vitest";
import type { Bond, GraphOfAll } from "../src/api/types";
import { filterOf, narrowed, rebound, woven } from "../src/ties/web";

const AT = "2026-03-01T12:00:00Z";
const bond = (one_id: string, other_id: string, fields: Partial<Bond> = {}): Bond => ({
  one_id,
  other_id,
  memories: 1,
  talks: 0,
  interactions: 0,
  last_at: AT,
  ...fields,
});
const GRAPH = {
  bonds: [bond("ada", "bo", { memories: 3, talks: 1 })],
  entities: [
    { id: "e1", name: "Bo the Bold", person_id: "bo", campaign_id: "k" },
    { id: "e2", name: "Orne", person_id: null, campaign_id: "k" },
  ],
  ties: [{ id: "t", source_id: "e1", target_id: "e2", type: "rules", evidence: "Bo rules Orne.", campaign_id: "k" }],
} as unknown as GraphOfAll;
const named = (id: string) => ({ ada: "Ada", bo: "Bo" })[id] ?? "somebody";
const asked = (query: string) => filterOf(new URLSearchParams(query));

it("makes one of a person and of what they are in a campaign", () => {
  const { nodes, threads } = woven(GRAPH, named);
  expect(nodes.map(({ name }) => name)).toEqual(["Ada", "Bo", "Orne"]);
  expect(threads.map(({ source_id, words, target_id }) => [source_id, words, target_id])).toEqual([
    ["ada", "3 memories, 1 chat", "bo"],
    ["bo", "rules", "e2"],
  ]);
});

it("keeps what is asked for, with both of its ends", () => {
  const web = woven(GRAPH, named);
  const names = (query: string) => narrowed(web, asked(query)).nodes.map(({ name }) => name);
  expect(names("person=ada")).toEqual(["Ada", "Bo"]);
  expect(names("kind=tie")).toEqual(["Bo", "Orne"]);
  expect(names("words=rules+orne.")).toEqual(["Bo", "Orne"]);
  expect(names("person=ada&kind=tie")).toEqual([]);
});

it("follows what one person shares now, and leaves the rest alone", () => {
  const bonds = [bond("ada", "bo"), bond("ada", "cy", { talks: 2 }), bond("bo", "cy"), bond("ada", "dee")];
  const later = "2026-04-01T12:00:00Z";
  const partner = (person_id: string, memories: number) => ({ person_id, name: "", memories, last_at: later });
  const after = rebound(bonds, "ada", [partner("bo", 5), partner("zoe", 1)]);
  expect(after.map(({ one_id, other_id, memories }) => [one_id, other_id, memories])).toEqual([
    ["ada", "bo", 5],
    ["ada", "cy", 0],
    ["bo", "cy", 1],
    ["ada", "zoe", 1],
  ]);
  expect(after[0]?.last_at).toBe(later);
});
