import { describe, expect, it } from "vitest";
import { placeOf } from "../src/places";
import { filterOf, fits, narrowed, NOTHING, queryOf, questionOf } from "../src/memories/filter";
import { sourceOf, worded } from "../src/memories/kinds";
import { patched } from "../src/memories/patching";
import { difference } from "../src/text/diff";
import { shortened } from "../src/text/shorten";
import { memory } from "./builders";

const all = () => true;
const heard = (fields: Parameters<typeof memory>[0], type: "memory.created" | "memory.updated" = "memory.updated") => {
  const told = memory(fields);
  return { type, conversation_id: null, memory_id: told.id, memory: told };
};

describe("a filter", () => {
  it("is what stands in the address", () => {
    const filter = filterOf(placeOf("#/memories?person=user&type=FACT&words=a%20b&since=2026-03-01").query);

    expect(filter).toEqual({ ...NOTHING, person: "user", type: "FACT", words: "a b", since: "2026-03-01" });
    expect(narrowed(filter)).toBe(3);
  });

  it("asks for a pair only of somebody, and for whole days", () => {
    expect(queryOf({ ...NOTHING, partner: "c1" })).toEqual({});
    const query = queryOf({ ...NOTHING, person: "user", partner: "c1", until: "2026-03-01", status: "pending" });
    expect(query).toMatchObject({ person_id: "user", partner_id: "c1", status: ["pending"] });
    expect(Date.parse(query.until!) - Date.parse("2026-03-01T00:00:00")).toBe(86_400_000);
    expect(questionOf({ ...NOTHING, words: "tea" })).toEqual({ query: "tea" });
  });

  it("tells what belongs to the list; what was forgotten only where it is asked for", () => {
    const made = memory({ persons: ["c1", "user"], type: "GOAL", created_at: "2026-03-01T12:00:00" });

    expect(fits(made, { ...NOTHING, person: "user", partner: "c1", type: "GOAL" })).toBe(true);
    expect(fits(made, { ...NOTHING, person: "c2" })).toBe(false);
    expect(fits(made, { ...NOTHING, since: "2026-03-02" })).toBe(false);
    expect(fits(made, { ...NOTHING, since: "2026-03-01", until: "2026-03-01" })).toBe(true);
    expect(fits({ ...made, status: "deleted" }, NOTHING)).toBe(false);
    expect(fits({ ...made, status: "deleted" }, { ...NOTHING, status: "deleted" })).toBe(true);
  });
});

describe("a list of memories", () => {
  const list = [memory({ id: "b", created_at: "2026-03-02T00:00:00Z" }), memory({ id: "a" })];

  it("takes in what is new, in its place", () => {
    const after = patched(list, heard({ id: "c", created_at: "2026-03-03T00:00:00Z" }, "memory.created"), all);

    expect([after.list.map(({ id }) => id), after.by]).toEqual([["c", "b", "a"], 1]);
    const back = patched([list[1]!], heard(list[0]!), all);
    expect(back.list.map(({ id }) => id)).toEqual(["b", "a"]);
    const old = heard({ id: "z", created_at: "2020-01-01T00:00:00Z" });
    expect(patched(list, old, all).list.at(-1)?.id).toBe("z");
    expect(patched(list, old, all, false)).toMatchObject({ list, by: 1 });
  });

  it("shows what changed as it is now, and never an older state of it", () => {
    const after = patched(list, heard({ id: "a", revision: 3, content: "new" }), all);
    const late = patched(after.list, heard({ id: "a", revision: 2, content: "old" }), all);

    expect(late.list[1]).toMatchObject({ revision: 3, content: "new" });
    expect([after.by, late.by]).toEqual([0, 0]);
  });

  it("loses what no longer fits and what is gone", () => {
    const past = patched(list, heard({ id: "a", status: "deleted" }), ({ status }) => status !== "deleted");
    const gone = patched(past.list, { type: "memory.deleted", conversation_id: null, memory_id: "b" }, all);

    expect([past.list.length, past.by, gone.list.length, gone.by]).toEqual([1, -1, 0, -1]);
    expect(patched([], { type: "memory.deleted", conversation_id: null, memory_id: "b" }, all).by).toBe(0);
  });
});

describe("a difference", () => {
  it("has what stayed, went and came, and together makes both texts", () => {
    const [before, after] = ["Ana lives in Porto now.", "Ana lives in Braga now, alone."];
    const pieces = difference(before, after);

    expect(pieces.filter(({ kind }) => kind !== "new").map(({ text }) => text).join("")).toBe(before);
    expect(pieces.filter(({ kind }) => kind !== "gone").map(({ text }) => text).join("")).toBe(after);
    expect(pieces[0]).toEqual({ kind: "same", text: "Ana lives in " });
  });

  it("of long texts is told as a whole", () => {
    const long = "word ".repeat(700);

    expect(difference(long, `${long}more`).map(({ kind }) => kind)).toEqual(["gone", "new"]);
  });
});

it("what is shortened is cut between words", () => {
  expect(shortened("one two three", 9)).toBe("one two…");
  expect(shortened(" one\ntwo ")).toBe("one two");
});

describe("the words for a memory", () => {
  it("are plain where the name of its type is not", () => {
    expect(["PLOT_THREAD", "ERROR_LESSON", "CANON_RULING"].map(worded)).toEqual([
      "Plot thread",
      "Lesson from a mistake",
      "Game master ruling",
    ]);
  });

  it("say who told it to whom", () => {
    const names = (ids: readonly string[]) => ids.map((id) => (id === "user" ? "You" : id)).join(" and ");
    const of = (person_id: string, how: "witnessed" | "told" | "authored", from_name = "", speakers = ["user"]) =>
      sourceOf({ person_id, how, from_name }, speakers, names);

    expect(of("user", "witnessed")).toBe("said it in a chat");
    expect(of("nova", "witnessed")).toBe("heard it from you in a chat");
    expect(of("nova", "witnessed", "", [])).toBe("learned it in a chat");
    expect(of("mira", "told", "Nova")).toBe("heard it from Nova");
    expect(of("nova", "authored")).toBe("added directly");
  });
});
