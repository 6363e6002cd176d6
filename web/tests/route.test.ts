import { describe, expect, it } from "vitest";
import { addressOf, placeOf } from "../src/places";

const told = (hash: string) => {
  const { page, params, query } = placeOf(hash);
  return { page, params, query: Object.fromEntries(query) };
};

describe("addresses", () => {
  it("lead back to where they came from, whatever an id looks like", () => {
    for (const id of ["k1", "a/b", "ü #?%", "../x"]) {
      expect(told(addressOf("chat", { id }, { at: "m?&1", none: "" }))).toEqual({
        page: "chat",
        params: { id },
        query: { at: "m?&1" },
      });
    }
    expect(told(addressOf("home"))).toEqual({ page: "home", params: {}, query: {} });
  });

  it("say as much as is given", () => {
    expect(addressOf("campaigns")).toBe("#/campaigns");
    expect(addressOf("campaigns", { id: "k1", part: "" })).toBe("#/campaigns/k1");
    expect(addressOf("campaigns", { id: "k1", part: "world", item: "e1" }, { as: "any" })).toBe(
      "#/campaigns/k1/world/e1?as=any",
    );
  });

  it("of a conversation may be the old ones", () => {
    expect(told("#/chat/k1")).toEqual({ page: "chat", params: { id: "k1" }, query: {} });
  });

  it("of a page may be its name", () => {
    expect(["", "#", "#/", "#/home"].map((hash) => placeOf(hash).page)).toEqual(["home", "home", "home", "home"]);
    expect(placeOf("#/relationships").page).toBe("graph");
  });

  it("that mean nothing say so", () => {
    for (const hash of ["#/chat/", "#/elsewhere", "#/chat/a/b", "#/c/"]) {
      expect(placeOf(hash).page).toBe("missing");
    }
  });

  it("that are typed wrongly are taken as they stand", () => {
    expect(placeOf("#/c/%E0%A4%A").params).toEqual({ id: "%E0%A4%A" });
  });
});
