/** Lists of memories that change while they are loaded. */
import { expect, test } from "vitest";
import type { Client } from "../src/api/client";
import type { Memory } from "../src/api/types";
import { Knows } from "../src/state/knows.svelte";
import { Shelf } from "../src/state/shelf.svelte";
import { filterOf } from "../src/memories/filter";
import { memory } from "./builders";

const NEW = memory({ id: "new", persons: ["user", "c1"] });
const CREATED = { type: "memory.created" as const, conversation_id: null, memory_id: "new", memory: NEW };

/** A server that read its answer before the memory was there, and sends it afterwards. */
function lateServer() {
  const answers: ((items: Memory[]) => void)[] = [];
  const asked = () => new Promise<Memory[]>((resolve) => answers.push(resolve));
  const client = {
    knowledge: async () => ({ items: (await asked()).map((each) => ({ memory: each })), next: null }),
    memories: async () => ({ items: await asked(), next: null, total: null }),
  } as unknown as Client;
  return { client, answers };
}

async function answer(answers: ((items: Memory[]) => void)[], items: Memory[]): Promise<void> {
  answers.shift()!(items);
  await new Promise((resolve) => setTimeout(resolve));
}

test("what a character learns while its memories load is in the list", async () => {
  const { client, answers } = lateServer();
  const knows = new Knows(client, "c1", "user");
  const loading = knows.load();
  knows.hear(CREATED);
  await answer(answers, []);
  await answer(answers, [NEW]);
  await loading;

  expect(knows.list).toEqual([NEW]);
  expect(answers).toEqual([]);
});

test("a memory that is created while the page of memories loads is on it", async () => {
  const { client, answers } = lateServer();
  const shelf = new Shelf(client);
  const loading = shelf.load(filterOf(new URLSearchParams()));
  shelf.hear(CREATED);
  await answer(answers, []);
  await answer(answers, [NEW]);
  await loading;

  expect(shelf.list).toEqual([NEW]);
  expect(answers).toEqual([]);
});
