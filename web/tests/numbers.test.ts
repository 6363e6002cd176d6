import { describe, expect, it } from "vitest";
import { percentage, tokens } from "../src/text/numbers";

describe("numbers", () => {
  it("never show something as nothing", () => {
    expect(percentage(0)).toMatch(/^0/);
    expect(percentage(0.00002)).toMatch(/^< 0.1/);
    expect(percentage(0.0449)).toMatch(/^4.5/);
  });

  it("agree with their word", () => {
    expect([tokens(0), tokens(1), tokens(7)]).toEqual(["0 tokens", "1 token", "7 tokens"]);
  });
});
