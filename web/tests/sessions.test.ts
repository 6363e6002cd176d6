import { describe, expect, it } from "vitest";
import { nameOf } from "../src/campaigns/table.svelte";

describe("a session", () => {
  it("is called by its number and name", () => {
    expect(nameOf({ number: 2, name: "The mill" })).toBe("Session 2: The mill");
    expect(nameOf({ number: 2, name: " " })).toBe("Session 2");
  });

  it("does not say its number twice", () => {
    expect(nameOf({ number: 1, name: "The Silent Bell, session 1" })).toBe("The Silent Bell, session 1");
    expect(nameOf({ number: 3, name: "The Silent Bell, session 1" })).toBe("Session 3: The Silent Bell, session 1");
  });
});
