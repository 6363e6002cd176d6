import { describe, expect, it } from "vitest";
import { type Entry, found } from "../src/palette/entries";

const entry = (label: string, also = ""): Entry => ({ id: label, group: "Pages", label, icon: "chat", also, run: () => {} });
const ALL = [entry("The storm", "Mira"), entry("Memories"), entry("Mira Tern"), entry("Café Étoile")];

describe("the command palette", () => {
  const labels = (words: string) => found(ALL, words).map(({ label }) => label);

  it("shows all there is before anything is typed", () => {
    expect(labels("  ")).toHaveLength(ALL.length);
  });

  it("finds the beginning first, then the middle, then what stands beside", () => {
    expect(labels("m")).toEqual(["Memories", "Mira Tern", "The storm"]);
    expect(labels("storm mira")).toEqual(["The storm"]);
    expect(labels("nothing")).toEqual([]);
  });

  it("cares for neither case nor accents", () => {
    expect(labels("cafe ETOILE")).toEqual(["Café Étoile"]);
  });
});
