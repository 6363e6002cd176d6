import { describe, expect, it } from "vitest";
import type { Event, Interaction } from "../src/api/types";
import { type Entry, eventQuery, filterOf, fits, interactionQuery, ofEvent, ofInteraction, put, sourceOf, together } from "../src/happened/entries";
import { closer, dayOf, periodsOf, unitFor } from "../src/happened/periods";

function entry(id: string, at: string, fields: Partial<Entry> = {}): Entry {
  const known = { kind: "talk", type: "talk", endedAt: null, goesOn: false, words: "", persons: [] } as const;
  return { ...known, tone: "neutral", conversationId: null, ...fields, id, at: new Date(at).toISOString() };
}

const asked = (query: string) => filterOf(new URLSearchParams(query));
const ids = (entries: Entry[]) => entries.map(({ id }) => id);

describe("what happened", () => {
  it("is of a kind, with everybody once", () => {
    const event = { id: "e", type: "file_write", content: "Wrote", actors: ["a"], participants: ["b", "a"], state: "complete" };
    expect(ofEvent(event as unknown as Event)).toMatchObject({ kind: "work", type: "File written", persons: ["a", "b"] });
    const passed = { type: "EXPRESS_GRATITUDE", tone: "positive", actor_id: "a", interactor_id: "b", started_at: "x" };
    expect(ofInteraction(passed as Interaction)).toMatchObject({ kind: "interaction", type: "Thanks", at: "x" });
  });

  it("is named by its title if it is a chat, and in full if it is not", () => {
    const event = { id: "e", type: "interact", content: "Conversation: Ferries", actors: [], participants: [] };
    expect(ofEvent(event as unknown as Event)).toMatchObject({ type: "Chat", words: "Ferries" });
    expect(ofEvent({ ...event, type: "observation" } as unknown as Event).words).toBe("Conversation: Ferries");
  });

  it("is asked for by what the address says, and what is not wanted is not asked for", () => {
    const filter = asked("person=p&kind=thought&since=2026-03-01&until=2026-03-02&rubbish=1");
    expect(eventQuery(filter)).toEqual({
      person_id: "p",
      type: ["observation", "reflection", "dream"],
      since: new Date("2026-03-01T00:00:00").toISOString(),
      until: new Date("2026-03-03T00:00:00").toISOString(),
    });
    expect(interactionQuery(filter)).toBeNull();
    expect(eventQuery(asked("kind=interaction"))).toBeNull();
    expect(asked("kind=nonsense").kind).toBe("");
  });

  it("belongs there where it has a part in the time", () => {
    const filter = asked("since=2026-03-01&until=2026-03-02");
    expect(fits(entry("in", "2026-03-02T23:30:00"), filter)).toBe(true);
    expect(fits(entry("after", "2026-03-03T00:00:00"), filter)).toBe(false);
    expect(fits(entry("before", "2026-02-01T00:00:00"), filter)).toBe(false);
    expect(fits(entry("lasting", "2026-02-01T00:00:00", { goesOn: true }), filter)).toBe(true);
    expect(fits(entry("other", "2026-03-01T10:00:00", { persons: ["q"] }), asked("person=p"))).toBe(false);
  });

  it("is one list of several, as far back as all of them were read", () => {
    const one = [entry("d", "2026-03-04T00:00:00"), entry("b", "2026-03-02T00:00:00")];
    const other = [entry("c", "2026-03-03T00:00:00"), entry("a", "2026-03-01T00:00:00")];
    expect(ids(together([{ entries: one, goesOn: false }, { entries: other, goesOn: false }]))).toEqual(["d", "c", "b", "a"]);
    expect(ids(together([{ entries: one, goesOn: true }, { entries: other, goesOn: false }]))).toEqual(["d", "c", "b"]);
  });

  it("is put where it belongs, in place of what it was", () => {
    const list = [entry("c", "2026-03-03T00:00:00"), entry("a", "2026-03-01T00:00:00")];
    expect(ids(put(list, entry("b", "2026-03-02T00:00:00")))).toEqual(["c", "b", "a"]);
    expect(put(list, entry("a", "2026-03-01T00:00:00", { words: "new" }))[1]?.words).toBe("new");
  });

  it("leads to its conversation, or to all that is kept of it", () => {
    expect(sourceOf(entry("e", "2026-03-01", { conversationId: "k" }))).toBe("#/c/k");
    expect(sourceOf(entry("e", "2026-03-01"), asked("person=p"))).toBe("#/timeline?person=p&event=e");
  });
});

describe("periods", () => {
  it("are as long as makes a handful of them", () => {
    const over = (from: string, to: string) => unitFor([entry("a", from), entry("b", to)]);
    expect(over("2026-03-01T08:00:00", "2026-03-01T20:00:00")).toBe("hour");
    expect(over("2026-03-01T08:00:00", "2026-04-01T20:00:00")).toBe("day");
    expect(over("2025-03-01T08:00:00", "2026-04-01T20:00:00")).toBe("month");
    expect(over("1990-03-01T08:00:00", "2026-04-01T20:00:00")).toBe("year");
    expect(unitFor([])).toBe("hour");
  });

  it("come in order, and say how much of nothing lies between", () => {
    const entries = [entry("c", "2026-06-30T23:59:00"), entry("b", "2026-03-31T12:00:00"), entry("a", "2026-03-01T00:00:00")];
    const months = periodsOf(entries, "month");
    expect(months.map(({ gap, entries }) => [gap, ids(entries)])).toEqual([
      [0, ["b", "a"]],
      [2, ["c"]],
    ]);
    expect(periodsOf(entries, "day").map(({ gap }) => gap)).toEqual([0, 29, 90]);
    expect(dayOf(months[0]!.end)).toBe("2026-04-01");
  });

  it("are looked at closer", () => {
    const [march] = periodsOf([entry("a", "2026-03-10T10:00:00")], "month");
    expect(closer(march!, "month")).toEqual({ zoom: "day", since: "2026-03-01", until: "2026-03-31" });
    const [hour] = periodsOf([entry("a", "2026-03-10T10:20:00")], "hour");
    expect(closer(hour!, "hour")).toEqual({ zoom: "hour", since: "2026-03-10", until: "2026-03-10" });
  });
});
