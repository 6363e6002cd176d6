/** The models in use, and how to connect one. */
import type { Client } from "../api/client";
import type { ModelWish, Models as Answer, Purpose } from "../api/types";
import type { Toasts } from "./toasts.svelte";

export class Models {
  known = $state.raw<Answer | null>(null);
  looking = $state(false);

  constructor(
    readonly client: Client,
    readonly toasts: Toasts,
  ) {}

  async load(): Promise<void> {
    await this.#ask(() => this.client.models());
  }

  /** Returns whether it worked. */
  async discover(): Promise<boolean> {
    this.looking = true;
    const worked = await this.#ask(() => this.client.discoverModels());
    this.looking = false;
    return worked;
  }

  /** Null goes back to the operator's choice. Returns whether it worked. */
  async chooseFor(purpose: Purpose, wish: ModelWish | null): Promise<boolean> {
    return this.#ask(() => this.client.chooseModel(purpose, wish));
  }

  async #ask(work: () => Promise<Answer>): Promise<boolean> {
    const answer = await this.toasts.trying(work);
    if (answer) this.known = answer;
    return answer !== undefined;
  }
}
