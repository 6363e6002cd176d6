/** One memory with its sources, history, knowers, links and interaction. */
import type { Client } from "../api/client";
import { Problem } from "../api/problem";
import type { Interaction, Knower, Link, Memory, MemoryEvent, Message, Revision } from "../api/types";

export class MemoryPage {
  memory = $state.raw<Memory | null>(null);
  failure = $state.raw<Problem | null>(null);
  gone = $state(false);
  source = $state.raw<Message[] | null>(null);
  history = $state.raw<Revision[] | null>(null);
  knowers = $state.raw<Knower[] | null>(null);
  links = $state.raw<Link[] | null>(null);
  interaction = $state.raw<Interaction | null>(null);

  constructor(
    readonly client: Client,
    readonly id: string,
  ) {}

  async load(): Promise<void> {
    try {
      this.memory = await this.client.memory(this.id);
      this.failure = null;
    } catch (reason) {
      if (!(reason instanceof Problem)) throw reason;
      this.failure = reason;
      return;
    }
    await Promise.all([this.#behind(), this.#before()]);
  }

  hear(event: MemoryEvent): void {
    if (event.memory_id !== this.id) return;
    if (event.type === "memory.deleted") this.gone = true;
    else if (event.memory.revision >= (this.memory?.revision ?? 0)) {
      const isNew = event.memory.revision !== this.memory?.revision;
      this.memory = event.memory;
      // Each change adds a history entry, and perhaps a link.
      if (isNew) void this.#before();
    }
  }

  async #behind(): Promise<void> {
    const interactionId = this.memory?.interaction_id;
    await Promise.all([
      this.#maybe(async () => (this.source = await this.client.source(this.id))),
      this.#maybe(async () => (this.knowers = await this.client.knowers(this.id))),
      this.#maybe(async () => {
        if (interactionId) this.interaction = await this.client.interaction(interactionId);
      }),
    ]);
  }

  async #before(): Promise<void> {
    await Promise.all([
      this.#maybe(async () => (this.history = await this.client.history(this.id))),
      this.#maybe(async () => (this.links = await this.client.links(this.id))),
    ]);
  }

  /** Some parts are visible to the owner only, and some may be deleted: show the rest. */
  async #maybe(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (reason) {
      if (!(reason instanceof Problem)) throw reason;
    }
  }
}
