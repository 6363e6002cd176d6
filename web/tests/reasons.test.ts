import { expect, test } from "vitest";
import { plainReasonsOf, reasonsOf, verdictOf } from "../src/memories/reasons";

const verdict = { step: null, why: "Similarity 0.35 · 31% of keywords match", place: 6, score: 0.4, parts: {} };

test("reasons become one chip each, without repeats", () => {
  expect(reasonsOf("Similarity 0.35 · 31% of keywords match · Weak match")).toEqual([
    "Similarity 0.35",
    "31% of keywords match",
    "Weak match",
  ]);
  expect(reasonsOf("Date match · Date match")).toEqual(["Date match"]);
  expect(reasonsOf("")).toEqual([]);
});

test("reasons in words have no numbers", () => {
  expect(plainReasonsOf("Similarity 0.19 · 100% of keywords match · Example match")).toEqual([
    "Similar in meaning",
    "Matches the words",
  ]);
  expect(plainReasonsOf("Core fact, always included")).toEqual(["Core fact, always included"]);
});

test("a found memory has a rank, and a weak match says so", () => {
  expect(verdictOf(verdict)).toBe("Found, rank 6");
  expect(verdictOf({ ...verdict, why: `${verdict.why} · Weak match` })).toBe("Found, rank 6 (weak match)");
});

test("a memory that was left out names the step", () => {
  expect(verdictOf({ ...verdict, step: "limit", place: null })).toBe("Over the limit");
});
