/** The ties of the workspace as they were read, kept up to date by what is heard: never read anew for an event. */
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

  /** Of a memory that came, changed or was withdrawn: with whom those whose it is share how much now. */
  async hear(event: LiveEvent): Promise<void> {
    if (event.type !== "memory.created" && event.type !== "memory.updated") return;
    for (const id of this.#concerned(event.memory)) {
      const partners = await this.toasts.trying(() => api.partners(id));
      if (partners) this.#put((bonds) => rebound(bonds, id, partners));
    }
  }

  /** Two persons are bound by it, and looking at one of them tells of both; of more, all but the last. */
  #concerned({ persons }: Memory): string[] {
    return [...new Set(persons)].slice(0, -1);
  }

  #put(change: (bonds: Bond[]) => Bond[]): void {
    const { answer } = this.graph;
    if (answer) this.graph.answer = { ...answer, bonds: change(answer.bonds) };
  }
}
