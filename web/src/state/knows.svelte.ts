/** What somebody knows of somebody else, by having been there or been told. */
import type { Client } from "../api/client";
import { Problem } from "../api/problem";
import type { Memory, MemoryEvent } from "../api/types";
import { patched } from "../memories/patching";

export class Knows {
  list = $state.raw<Memory[]>([]);
  loaded = $state(false);
  failure = $state.raw<Problem | null>(null);
  /** How many loads are under way, and whether something changed meanwhile that they may have missed. */
  #loading = 0;
  #stale = false;

  constructor(
    readonly client: Client,
    readonly knowerId: string,
    readonly aboutId: string,
  ) {}

  async load(): Promise<void> {
    this.#loading += 1;
    this.#stale = false;
    await this.#read();
    this.#loading -= 1;
    if (this.#stale) await this.load();
  }

  async #read(): Promise<void> {
    try {
      const all: Memory[] = [];
      let cursor: string | undefined;
      do {
        const page = await this.client.knowledge(this.knowerId, undefined, cursor);
        all.push(...page.items.map(({ memory }) => memory));
        cursor = page.next ?? undefined;
      } while (cursor);
      this.list = all.filter((memory) => memory.persons.includes(this.aboutId));
      this.failure = null;
      this.loaded = true;
    } catch (reason) {
      if (!(reason instanceof Problem)) throw reason;
      this.failure = reason;
    }
  }

  /** Who has a part in it knows it. What they were told stays as long as it holds. */
  hear(event: MemoryEvent): void {
    this.#stale = this.#loading > 0;
    if (!this.loaded) return;
    const isKnown = this.list.some(({ id }) => id === event.memory_id);
    const fits = ({ status, persons }: Memory) =>
      status === "active" && persons.includes(this.aboutId) && (isKnown || persons.includes(this.knowerId));
    this.list = patched(this.list, event, fits).list;
  }
}
