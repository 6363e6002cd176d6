import { describe, expect, it } from "vitest";
import { hueOf, initialsOf } from "../src/text/initials";

describe("a face without a picture", () => {
  it.each([
    ["Nova", "N"],
    ["mira tern", "MT"],
    ["Brannoc of the Reach", "BR"],
    ["  Zoë  ", "Z"],
    ["🐉 Ash", "🐉A"],
    ["", "?"],
  ])("of %s is %s", (name, initials) => {
    expect(initialsOf(name)).toBe(initials);
  });

  it("has a colour that stays, and is on the circle", () => {
    for (const id of ["", "a", "b", "01999c3e-77aa-7000-8000-000000000001"]) {
      expect(hueOf(id)).toBe(hueOf(id));
      expect(hueOf(id)).toBeGreaterThanOrEqual(0);
      expect(hueOf(id)).toBeLessThan(361);
    }
    expect(hueOf("a")).not.toBe(hueOf("b"));
  });
});
