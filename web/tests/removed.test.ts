import { expect, test } from "vitest";
import { removedRun } from "../src/chat/removed";
import { message } from "./builders";

const AT = "2026-03-01T12:00:00Z";

test("a run of removed messages ends at the next that is part of the talk", () => {
  const log = [message({ id: "a" }), message({ id: "b", withdrawn: AT }), message({ id: "c", withdrawn: AT })];

  expect(removedRun([...log, message({ id: "d" })], 1).map(({ id }) => id)).toEqual(["b", "c"]);
  expect(removedRun(log, 1).map(({ id }) => id)).toEqual(["b", "c"]);
  expect(removedRun(log, 2).map(({ id }) => id)).toEqual(["c"]);
});
