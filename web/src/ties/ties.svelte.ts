/** The relationships of the workspace. Live events patch them without a reload. */
import * as api from "../api/whole";
import type { Bond, GraphOfAll, LiveEvent, Memory } from "../api/types";
import { Latest } from "../state/latest.svelte";
import type { Toasts } from "../state/toasts.svelte";
import { rebound } from "./web";

export class Ties {
  readonly graph = new Latest<GraphOfAll>();

  constructor(readonly toasts: Toasts) {}

  load(): void {
    void this.graph.ask(api.graph);
  }

  /** After a memory changed: look up again how much its people share. */
  async hear(event: LiveEvent): Promise<void> {
    if (event.type !== "memory.created" && event.type !== "memory.updated") return;
    for (const id of this.#concerned(event.memory)) {
      const partners = await this.toasts.trying(() => api.partners(id));
      if (partners) this.#put((bonds) => rebound(bonds, id, partners));
    }
  }

  /** Looking up one end of a pair is enough, so the last person can be skipped. */
  #concerned({ persons }: Memory): string[] {
    return [...new Set(persons)].slice(0, -1);
  }

  #put(change: (bonds: Bond[]) => Bond[]): void {
    const { answer } = this.graph;
    if (answer) this.graph.answer = { ...answer, bonds: change(answer.bonds) };
  }
}
