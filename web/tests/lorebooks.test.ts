import { expect, test } from "vitest";
import { entryTitle, keysIn, newEntry, problemOf, whenUsed } from "../src/lorebooks/entries";

test("keys are split at commas, but not inside a regular expression", () => {
  expect(keysIn(" lamp, Grey Point,,lamp ")).toEqual(["lamp", "Grey Point"]);
  expect(keysIn("/a{1,2}/i, b, and/or")).toEqual(["/a{1,2}/i", "b", "and/or"]);
  expect(keysIn("")).toEqual([]);
});

test("an entry is called by its name, or by its keys", () => {
  expect(entryTitle({ name: " Tower ", keys: ["a"] })).toBe("Tower");
  expect(entryTitle({ name: "", keys: ["a", "b"] })).toBe("a, b");
  expect(entryTitle({ name: "", keys: [] })).toBe("New entry");
});

test("one line says when an entry is used", () => {
  const entry = { ...newEntry(), keys: ["lamp"], secondary_keys: ["oil"], probability: 40, hidden: true };
  expect(whenUsed(entry)).toBe("Keys: lamp · 1 secondary key · 40% chance · Hidden from players");
  expect(whenUsed({ ...newEntry(), constant: true, enabled: false })).toBe("Off · Always included");
  expect(whenUsed(newEntry())).toBe("No keys, never used");
});

test("an entry without text, or that could never be used, is named", () => {
  expect(problemOf({ ...newEntry(), keys: ["a"] })).toContain("text");
  expect(problemOf({ ...newEntry(), content: "x" })).toContain("key");
  expect(problemOf({ ...newEntry(), content: "x", constant: true })).toBe("");
});
