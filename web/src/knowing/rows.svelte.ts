/** Memories with everyone who knows them, the latest first; live events patch the list. */
import type { Page } from "../api/client";
import { Problem } from "../api/problem";
import { isOfMemory, type LiveEvent, type MemoryKnown } from "../api/types";
import * as api from "../api/whole";
import type { Toasts } from "../state/toasts.svelte";
import { type Filter, fits, put, queryOf, without } from "./table";

const ENOUGH = 25;
const MOST_PAGES = 5;

export class Rows {
  list = $state.raw<MemoryKnown[]>([]);
  next = $state<string | null>(null);
  loaded = $state(false);
  reading = $state(false);
  failure = $state.raw<Problem | null>(null);

  #filter: Filter | null = null;
  #asked = 0;

  constructor(readonly toasts: Toasts) {}

  async load(filter: Filter): Promise<void> {
    this.#filter = filter;
    this.loaded = false;
    await this.#read(undefined, []);
  }

  async more(): Promise<void> {
    if (this.next && !this.reading) await this.#read(this.next, this.list);
  }

  /** Of a memory that came or changed, who knows it is looked up; by words, what is found stays as it was found. */
  async hear(event: LiveEvent): Promise<void> {
    if (!isOfMemory(event) || !this.loaded) return;
    const { memory_id: id } = event;
    if (event.type === "memory.deleted" || event.memory.status !== "active") {
      this.list = without(this.list, id);
      return;
    }
    const knowers = await this.toasts.trying(() => api.knowers(id));
    const filter = this.#filter;
    if (!knowers || !filter) return;
    const row = { memory: event.memory, knowers };
    const isHere = this.list.some(({ memory }) => memory.id === id);
    if (!fits(row, filter)) this.list = without(this.list, id);
    else if (isHere || !filter.words) this.list = put(this.list, row, this.next === null);
  }

  async #read(cursor: string | undefined, before: MemoryKnown[]): Promise<void> {
    const number = ++this.#asked;
    this.reading = true;
    try {
      const page = await this.#page(cursor);
      if (number !== this.#asked) return;
      const known = new Set(before.map(({ memory }) => memory.id));
      this.list = [...before, ...page.items.filter(({ memory }) => !known.has(memory.id))];
      this.next = page.next;
      this.failure = null;
      this.loaded = true;
    } catch (reason) {
      if (!(reason instanceof Problem)) throw reason;
      if (number === this.#asked) this.failure = reason;
    } finally {
      if (number === this.#asked) this.reading = false;
    }
  }

  /** A page may hold little, where much of what there is belongs to nobody: then the next ones are read with it. */
  async #page(cursor: string | undefined): Promise<Page<MemoryKnown>> {
    const query = queryOf(this.#filter!);
    let page = await api.knowing(query, cursor);
    for (let more = MOST_PAGES; page.next && page.items.length < ENOUGH && more > 0; more--) {
      const next = await api.knowing(query, page.next);
      page = { items: [...page.items, ...next.items], next: next.next };
    }
    return page;
  }
}
