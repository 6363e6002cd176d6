import { describe, expect, it } from "vitest";
import { addressOf, placeOf } from "../src/state/route.svelte";

describe("addresses", () => {
  it("lead back to where they came from, whatever an id looks like", () => {
    for (const id of ["k1", "a/b", "ü #?%", "../x"]) {
      expect(placeOf(addressOf({ page: "chat", id }))).toEqual({ page: "chat", id });
    }
    expect(placeOf(addressOf({ page: "home" }))).toEqual({ page: "home" });
  });

  it("that mean nothing lead home", () => {
    for (const hash of ["", "#", "#/chat/", "#/elsewhere", "#/chat/a/b"]) {
      expect(placeOf(hash)).toEqual({ page: "home" });
    }
  });
});
