import { describe, expect, it } from "vitest";
import type { PromptMemory, PromptSection, PromptTalk } from "../src/api/types";
import { fidelityOf, groupsOf, sorted, tally, wordsOf } from "../src/xray/order";

function section(name: string, fields: Partial<PromptSection> = {}): PromptSection {
  const kept = { state: "whole", why: "", text: "", origin: "", appended: false } as const;
  return { name, role: "system", place: "start", part: "system", tokens: 1, ...kept, ...fields };
}

function talk(first: number, last: number, fields: Partial<PromptTalk> = {}): PromptTalk {
  const whole = { fidelity: "full", state: "whole" } as const;
  return { first, last, role: "user", tokens: 1, message_ids: [], text: "", ...whole, ...fields };
}

function memory(id: string, score: number, left_out = ""): PromptMemory {
  const found = { kind: "memory", layer: "pair", why: "", parts: {} };
  return { id, type: "FACT", content: id, importance: 5, score, section: "memory", left_out, ...found };
}

describe("the sections of a prompt", () => {
  it("are grouped by their place, in the order in which a model reads them", () => {
    const groups = groupsOf([
      section("introduction", { role: "assistant" }),
      section("memory", { place: "late", part: "recall" }),
      section("summary", { part: "summary" }),
      section("identity"),
      section("last_words", { place: "end" }),
      section("rules"),
    ]);

    expect(groups.map(({ place, sections }) => [place, sections.map(({ name }) => name)])).toEqual([
      ["start", ["identity", "rules", "summary", "introduction"]],
      ["talk", []],
      ["late", ["memory"]],
      ["end", ["last_words"]],
    ]);
  });

  it("have no heading where there are none, save for the talk", () => {
    expect(groupsOf([]).map(({ title }) => title)).toEqual(["Chat"]);
  });
});

describe("the messages of a prompt", () => {
  it("are counted by how much of them is told, and runs of them by what they hold", () => {
    const told = [talk(1, 9, { fidelity: "compressed" }), talk(10, 10, { fidelity: "placeholder" }), talk(11, 11)];

    expect(tally(told)).toBe("1 verbatim, 9 shortened, 1 omitted");
    expect(tally([])).toBe("");
  });

  it("show whose words they are, or where they are told", () => {
    const told = [talk(1, 1, { text: "Hi." }), talk(1, 1), talk(1, 3, { role: "system", fidelity: "compressed" })];
    const old = talk(1, 1, { role: "system", text: "Robin: Hi." });

    expect([...told, old].map(wordsOf)).toEqual(["You: Hi.", "You", "shortened", "Robin: Hi."]);
  });

  it("say when they were cut", () => {
    expect([fidelityOf(talk(1, 1)), fidelityOf(talk(1, 1, { state: "cut" }))]).toEqual([
      "verbatim",
      "verbatim, cut",
    ]);
  });
});

describe("the memories of a prompt", () => {
  it("are told apart from those that were left out, the best first", () => {
    const { told, leftOut } = sorted([memory("a", 0.2), memory("b", 0.9, "no room"), memory("c", 0.7)]);

    expect([told.map(({ id }) => id), leftOut.map(({ id }) => id)]).toEqual([["c", "a"], ["b"]]);
  });
});
