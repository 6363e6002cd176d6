/** The user's name: as they set it, else as it was learned from what they said. */
import type { Client } from "../api/client";
import { Problem } from "../api/problem";
import type { Memory, MemoryEvent } from "../api/types";
import type { Cast } from "./cast.svelte";

/** The server's name for a user who hasn't told theirs. */
export const NO_NAME = "User";

export class MyName {
  #learned = $state.raw<{ id: string; name: string } | null>(null);

  constructor(
    readonly client: Client,
    readonly cast: Cast,
  ) {}

  /** Empty while it is unknown. */
  get current(): string {
    const set = this.cast.me?.name ?? NO_NAME;
    return set === NO_NAME ? (this.#learned?.name ?? "") : set;
  }

  /** Looks for a memory that tells the name, if none is set. */
  async load(): Promise<void> {
    const me = this.cast.me;
    if (!me || me.name !== NO_NAME) return;
    try {
      const { items } = await this.client.search({ query: "What is the user's name?", person_id: me.id, limit: 20 });
      const found = items.flatMap(({ memory }) => (memory && nameIn(memory) ? [memory] : []))[0];
      this.#learned = found ? { id: found.id, name: nameIn(found) } : null;
    } catch (reason) {
      // The name is a nicety: without it the page says the same without a name.
      if (!(reason instanceof Problem)) throw reason;
    }
  }

  hear(event: MemoryEvent): void {
    if (event.type !== "memory.deleted" && this.cast.me && event.memory.persons.includes(this.cast.me.id)) {
      const name = nameIn(event.memory);
      if (name) this.#learned = { id: event.memory_id, name };
      else if (event.memory_id === this.#learned?.id) this.#learned = null;
    } else if (event.memory_id === this.#learned?.id) this.#learned = null;
  }
}

/** The name that a memory states about the user: its claim has no other subject. Empty if it states none. */
export function nameIn({ extra, status }: Pick<Memory, "extra" | "status">): string {
  const claim = extra["claim"];
  if (status !== "active" || typeof claim !== "object" || claim === null) return "";
  const { slot, value, subject } = claim as Record<string, unknown>;
  return slot === "name" && !subject && typeof value === "string" ? value : "";
}
