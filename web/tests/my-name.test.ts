/** What the user is called, as it is learned from their memories. */
import { expect, test } from "vitest";
import type { Client } from "../src/api/client";
import type { Memory } from "../src/api/types";
import type { Cast } from "../src/state/cast.svelte";
import { MyName } from "../src/state/my-name.svelte";
import { memory } from "./builders";

const ME = "u1";

function named(set = "User") {
  const myName = new MyName({} as Client, { me: { id: ME, name: set } } as Cast);
  const learn = (id: string, claim: unknown, fields: Partial<Memory> = {}) => {
    const learned = memory({ id, persons: [ME], extra: { claim }, ...fields });
    myName.hear({ type: "memory.updated", conversation_id: null, memory_id: id, memory: learned });
    return myName.current;
  };
  return { myName, learn };
}

test("the user's own name is learned, and nobody else's", () => {
  const { learn } = named();
  expect(learn("a", { slot: "name", value: "Ines", subject: "user's sister" })).toBe("");
  expect(learn("b", { slot: "home", value: "Porto" })).toBe("");
  expect(learn("c", { slot: "name", value: "Ana" }, { status: "rejected" })).toBe("");
  expect(learn("d", { slot: "name", value: "Bea" }, { persons: ["u2"] })).toBe("");
  expect(learn("e", { slot: "name", value: "Ana Silva" })).toBe("Ana Silva");
  expect(learn("e", { slot: "name", value: "Ana Silva" }, { status: "superseded" })).toBe("");
});

test("what friends call the user comes before their name, and the latest before an earlier one", () => {
  const { myName, learn } = named();
  expect(learn("a", { slot: "nickname", value: "Sammy" }, { created_at: "2026-03-02T12:00:00Z" })).toBe("Sammy");
  expect(learn("b", { slot: "name", value: "Samantha" }, { created_at: "2026-03-04T12:00:00Z" })).toBe("Sammy");
  expect(learn("c", { slot: "nickname", value: "Sam" }, { created_at: "2026-03-03T12:00:00Z" })).toBe("Sam");
  for (const id of ["c", "a"]) myName.hear({ type: "memory.deleted", conversation_id: null, memory_id: id });
  expect(myName.current).toBe("Samantha");
});

test("a nickname in a script without capitals counts too", () => {
  for (const value of ["さくら", "सोना", "سامي", "민수"]) expect(named().learn("a", { slot: "nickname", value })).toBe(value);
});

test("nobody is greeted with the pronouns that they go by", () => {
  const { learn } = named();
  expect(learn("a", { slot: "nickname", value: "she/her" })).toBe("");
  expect(learn("b", { slot: "name", value: "Ana" })).toBe("Ana");
});

test("a name that is set stays, whatever is learned", () => {
  expect(named("Nora").learn("a", { slot: "nickname", value: "Sammy" })).toBe("Nora");
});
