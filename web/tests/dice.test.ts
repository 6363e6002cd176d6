import { expect, test } from "vitest";
import { rolled } from "../src/text/dice";

const queue = (...numbers: number[]) => () => numbers.shift() ?? 0;

test("a roll is told with its dice and its sum", () => {
  expect(rolled("/roll d20", queue(14))).toBe("*rolls 1d20: **14***");
  expect(rolled(" /roll 2d6+3 ", queue(4, 2))).toBe("*rolls 2d6 + 3: **9** (4, 2 + 3)*");
  expect(rolled("/r 1d8 - 1", queue(5))).toBe("*rolls 1d8 - 1: **4** (5 - 1)*");
});

test("other texts and impossible dice are left alone", () => {
  for (const text of ["roll d20", "/roll", "/roll 0d6", "/roll 1d1", "/roll 101d6", "/roll 1d20 for luck", "/rolls 1d6"]) {
    expect(rolled(text)).toBeNull();
  }
});

test("every side comes up, and no other", () => {
  const seen = new Set(Array.from({ length: 500 }, () => rolled("/roll d4")));
  expect([...seen].sort()).toEqual([1, 2, 3, 4].map((side) => `*rolls 1d4: **${side}***`));
});
