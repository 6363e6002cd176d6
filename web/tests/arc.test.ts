import { describe, expect, it } from "vitest";
import { arcOf, moodOf, pathOf } from "../src/analysis/arc";

describe("the emotional arc", () => {
  it("puts bright words high, dark ones low, and the rest between them", () => {
    expect([moodOf("warm relief"), moodOf("bitter quarrel"), moodOf("talk of trains")]).toEqual([1, -1, 0]);
    expect([moodOf("hope and fear"), moodOf("no fear")]).toEqual([0, 1]);
  });

  it("leads through every step", () => {
    const steps = arcOf(["tension", "trains", "joy"], 100, 50, 10);
    expect(steps.map(({ x, y }) => [x, y])).toEqual([
      [10, 40],
      [50, 25],
      [90, 10],
    ]);
    expect(pathOf(steps)).toBe("M10 40C30 40 30 25 50 25C70 25 70 10 90 10");
    expect(arcOf(["joy"], 100, 50, 10)[0]?.x).toBe(50);
  });
});
