/** A filtered list of memories, newest first. Live events patch it without a reload. */
import type { Client } from "../api/client";
import { Problem } from "../api/problem";
import type { Memory, MemoryEvent } from "../api/types";
import { type Filter, fits, isAsOf, momentOf, queryOf } from "../memories/filter";
import { patched } from "../memories/patching";
import { USER_ID } from "./people.svelte";

interface Read {
  items: Memory[];
  next: string | null;
  total?: number | null;
}

export class Shelf {
  list = $state.raw<Memory[]>([]);
  loaded = $state(false);
  reading = $state(false);
  failure = $state.raw<Problem | null>(null);
  more = $state<string | null>(null);
  /** How many there are, if known. */
  total = $state<number | null>(null);

  #filter: Filter | null = null;
  #asked = 0;
  /** Something changed while the first page was loading, which may have missed it. */
  #stale = false;

  constructor(readonly client: Client) {}

  async load(filter: Filter): Promise<void> {
    const isAnother = JSON.stringify(filter) !== JSON.stringify(this.#filter);
    this.#filter = filter;
    if (isAnother) this.loaded = false;
    this.#stale = false;
    await this.#read(undefined, (page) => {
      this.list = page.items;
      this.total = page.total ?? (page.next ? null : page.items.length);
      this.loaded = true;
    });
    if (this.#stale && !this.reading && filter === this.#filter) await this.load(filter);
  }

  async loadMore(): Promise<void> {
    if (!this.more || this.reading) return;
    await this.#read(this.more, (page) => {
      const known = new Set(this.list.map(({ id }) => id));
      this.list = [...this.list, ...page.items.filter(({ id }) => !known.has(id))];
      if (!page.next) this.total = this.list.length;
    });
  }

  /** Loads every page, for “Select all”. */
  async loadAll(): Promise<void> {
    while (this.more && !this.failure) {
      const before = this.list.length;
      await this.loadMore();
      if (this.list.length === before && this.reading) return;
    }
  }

  hear(event: MemoryEvent): void {
    const filter = this.#filter;
    this.#stale = this.reading;
    // The past does not change.
    if (!filter || !this.loaded || isAsOf(filter)) return;
    const { list, by } = patched(this.list, event, (memory) => fits(memory, filter), !this.more);
    this.list = list;
    if (this.total !== null) this.total = Math.max(this.total + by, 0);
  }

  async #read(cursor: string | undefined, take: (page: Read) => void): Promise<void> {
    const number = ++this.#asked;
    this.reading = true;
    try {
      const page = await this.#page(cursor);
      if (number !== this.#asked) return;
      take(page);
      this.more = page.next;
      this.failure = null;
    } catch (reason) {
      if (!(reason instanceof Problem)) throw reason;
      if (number === this.#asked) this.failure = reason;
    } finally {
      if (number === this.#asked) this.reading = false;
    }
  }

  async #page(cursor: string | undefined): Promise<Read> {
    const filter = this.#filter!;
    if (!isAsOf(filter)) return this.client.memories(queryOf(filter), cursor);
    const page = await this.client.knowledge(filter.person || USER_ID, momentOf(filter.asOf), cursor);
    const plain = { ...filter, person: "", status: "" } as Filter;
    return { items: page.items.map(({ memory }) => memory).filter((each) => fits(each, plain)), next: page.next };
  }
}
