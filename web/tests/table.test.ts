import { expect, it } from "vitest";
import type { Knower, MemoryKnown } from "../src/api/types";
import { columnsOf, filterOf, fits, knowerIn, pathOf, put, queryOf, wordsOf } from "../src/knowing/table";
import { memory } from "./builders";

function knower(person_id: string, fields: Partial<Knower> = {}): Knower {
  const known = { name: person_id, from_name: "", how: "witnessed", from_id: null, degree: 0, certainty: 1 } as const;
  return { ...known, person_id, since: "2026-03-01T12:00:00Z", chain: [], ...fields };
}

const row = (id: string, knowers: Knower[], at = "2026-03-01T12:00:00Z"): MemoryKnown => ({
  memory: memory({ id, persons: knowers.filter(({ how }) => how !== "told").map(({ person_id }) => person_id), created_at: at }),
  knowers,
});
const asked = (query: string) => filterOf(new URLSearchParams(query));
const DON = knower("don", { how: "told", from_id: "mike", degree: 1, since: "2026-03-02T12:00:00Z", chain: ["mike"] });
const ANN = knower("ann", { how: "told", from_id: "don", degree: 2, since: "2026-03-03T12:00:00Z", chain: ["mike", "don"] });
const KEY = row("key", [knower("mike"), knower("rex"), DON, ANN]);

it("has a column for everybody who knows any of it, who was asked for first", () => {
  const rows = [KEY, row("crows", [knower("ann")])];
  expect(columnsOf(rows, asked(""))).toEqual(["ann", "don", "mike", "rex"]);
  expect(columnsOf(rows, asked("person=rex&knower=zoe"))).toEqual(["zoe", "rex", "ann", "don", "mike"]);
});

it("tells the way of a memory, from whom and when", () => {
  expect(pathOf(KEY, ANN)).toEqual([
    { id: "mike", how: "witnessed", since: "2026-03-01T12:00:00Z" },
    { id: "don", how: "heard", since: "2026-03-02T12:00:00Z" },
    { id: "ann", how: "heard", since: "2026-03-03T12:00:00Z" },
  ]);
  const gone = { ...KEY, knowers: KEY.knowers.filter(({ person_id }) => person_id !== "don") };
  expect(pathOf(gone, ANN)[1]).toEqual({ id: "don", how: "shared it", since: null });
  expect(wordsOf(ANN, (id) => id.toUpperCase())).toMatch(/^heard from DON \(passed on 2 times\), /);
  expect(knowerIn(KEY, "nobody")).toBeUndefined();
});

it("asks for what the address says, and keeps only what fits", () => {
  const filter = asked("person=mike&knower=don&words=a+key&view=list");
  expect(queryOf(filter)).toEqual({ query: "a key", person_id: "mike", knower_id: "don" });
  expect(queryOf(asked(""))).toEqual({});
  expect(fits(KEY, filter)).toBe(true);
  expect(fits(KEY, asked("person=don"))).toBe(false);
  expect(fits({ ...KEY, memory: { ...KEY.memory, status: "deleted" } }, asked(""))).toBe(false);
});

it("puts a row in its place, unless it is older than all that was read", () => {
  const rows = [row("new", [], "2026-03-09T12:00:00Z"), row("old", [], "2026-03-02T12:00:00Z")];
  const ids = (list: MemoryKnown[]) => list.map(({ memory }) => memory.id);
  expect(ids(put(rows, row("between", [], "2026-03-05T12:00:00Z"), false))).toEqual(["new", "between", "old"]);
  expect(ids(put(rows, row("oldest", [], "2026-03-01T12:00:00Z"), false))).toEqual(["new", "old"]);
  expect(ids(put(rows, row("oldest", [], "2026-03-01T12:00:00Z"), true))).toEqual(["new", "old", "oldest"]);
  expect(put(rows, row("old", [DON], "2026-03-02T12:00:00Z"), true)[1]?.knowers).toEqual([DON]);
});
