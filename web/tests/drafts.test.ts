// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from "vitest";
import { Drafts } from "../src/state/drafts.svelte";

describe("drafts", () => {
  beforeEach(() => localStorage.clear());

  it("are kept for each conversation, over a reload", () => {
    new Drafts(localStorage).keep("k1", "I was about to");
    new Drafts(localStorage).keep("k2", "Another\nthing");

    const later = new Drafts(localStorage);

    expect([later.read("k1"), later.read("k2"), later.read("k3")]).toEqual(["I was about to", "Another\nthing", ""]);
  });

  it("tell what stands in the message field now", () => {
    const drafts = new Drafts(localStorage);

    drafts.keep("k1", "Wh");
    drafts.keep("k1", "When");

    expect(drafts.now).toBe("When");
  });

  it("leave nothing behind when they are empty", () => {
    const drafts = new Drafts(localStorage);
    drafts.keep("k1", "x");

    drafts.keep("k1", "  \n");

    expect(localStorage.length).toBe(0);
  });

  it("are only not kept where the browser keeps nothing", () => {
    const refuse = () => {
      throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
    };
    const drafts = new Drafts({ ...localStorage, getItem: refuse, setItem: refuse, removeItem: refuse });

    drafts.keep("k1", "x");

    expect(drafts.read("k1")).toBe("");
  });
});
