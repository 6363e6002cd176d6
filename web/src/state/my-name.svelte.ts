/** What the user is called: as they set it, else as it was learned from what they said. */
import type { Client } from "../api/client";
import { Problem } from "../api/problem";
import type { Memory, MemoryEvent } from "../api/types";
import type { Cast } from "./cast.svelte";

/** The server's name for a user who hasn't told theirs. */
export const NO_NAME = "User";

/** A name that a memory tells. */
interface Learned {
  id: string;
  name: string;
  at: string;
  isNickname: boolean;
}

export class MyName {
  #learned = $state.raw<Learned[]>([]);

  constructor(
    readonly client: Client,
    readonly cast: Cast,
  ) {}

  /** Empty while it is unknown. What friends call them comes before their name, and the latest before an earlier one. */
  get current(): string {
    const set = this.cast.me?.name ?? NO_NAME;
    if (set !== NO_NAME) return set;
    const latest = this.#learned.toSorted((a, b) => b.at.localeCompare(a.at));
    return (latest.find(({ isNickname }) => isNickname) ?? latest[0])?.name ?? "";
  }

  /** Looks for a memory that tells the name, if none is set. */
  async load(): Promise<void> {
    const me = this.cast.me;
    if (!me || me.name !== NO_NAME) return;
    try {
      const { items } = await this.client.search({ query: "What is the user's name or nickname?", person_id: me.id, limit: 20 });
      this.#learned = items.flatMap(({ memory }) => (memory ? learnedFrom(memory) : []));
    } catch (reason) {
      // The name is a nicety: without it the page says the same without a name.
      if (!(reason instanceof Problem)) throw reason;
    }
  }

  hear(event: MemoryEvent): void {
    const isMine = event.type !== "memory.deleted" && this.cast.me && event.memory.persons.includes(this.cast.me.id);
    const others = this.#learned.filter(({ id }) => id !== event.memory_id);
    this.#learned = isMine ? [...others, ...learnedFrom(event.memory)] : others;
  }
}

// Many scripts have no capitals.
const NAME = /^[\p{Lu}\p{Lt}\p{Lo}][\p{L}\p{M}'’.-]*(?: [\p{Lu}\p{Lt}\p{Lo}][\p{L}\p{M}'’.-]*){0,2}$/u;

/** The name that a memory states about the user: its claim has no other subject. */
function learnedFrom({ id, extra, status, created_at: at }: Memory): Learned[] {
  const claim = extra["claim"];
  if (status !== "active" || typeof claim !== "object" || claim === null) return [];
  const { slot, value, subject } = claim as Record<string, unknown>;
  if (subject || typeof value !== "string" || (slot !== "name" && slot !== "nickname")) return [];
  const isNickname = slot === "nickname";
  // One may also "go by they" or by train.
  return isNickname && !NAME.test(value) ? [] : [{ id, name: value, at, isNickname }];
}
