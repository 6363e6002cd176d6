import { describe, expect, it } from "vitest";
import { labelOf, piecesOf } from "../src/xray/pieces";

const part = (name: string, used: number) => ({ name, share: 0, used });
const taken = (measured: Parameters<typeof piecesOf>[0]) =>
  Object.fromEntries(piecesOf(measured).flatMap(({ name, tokens }) => (tokens ? [[name, tokens]] : [])));

describe("the pieces of a window", () => {
  const measured = { window: 1000, reserve: 125, used: 310, parts: [part("conversation", 200), part("system", 100)] };

  it("are what each part took, what holds them together, what is kept for the reply, and what is free", () => {
    expect(taken(measured)).toEqual({ system: 100, conversation: 200, wrapping: 10, reserve: 125, free: 565 });
  });

  it("stand in the order of the bar, whatever the order of the parts", () => {
    expect(piecesOf(measured).map(({ name }) => name)).toEqual([
      ...["system", "campaign", "chapter", "session", "tools", "recall", "summary", "conversation"],
      ...["wrapping", "reserve", "free"],
    ]);
  });

  it("are the whole window together", () => {
    for (const used of [0, 310, 875]) {
      const pieces = piecesOf({ ...measured, used });
      expect(pieces.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(1000);
      expect(pieces.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
    }
  });

  it("are never less than nothing: parts counted one by one can be more than the whole", () => {
    expect(taken({ ...measured, used: 290 })).toEqual({ system: 100, conversation: 200, reserve: 125, free: 575 });
    expect(taken({ ...measured, window: 400, used: 310 })).not.toHaveProperty("free");
  });

  it("have names for people, also where the server has a new part", () => {
    expect([labelOf("recall"), labelOf("weather")]).toEqual(["Memories", "weather"]);
  });
});
