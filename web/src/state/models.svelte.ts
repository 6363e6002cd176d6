/** Which models answer, and how to connect one when only the built-in voice is there. */
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

  async discover(): Promise<void> {
    this.looking = true;
    if (await this.#ask(() => this.client.discoverModels())) {
      this.toasts.note(this.known?.found.length ? "Found some." : "No model was found on this machine.");
    }
    this.looking = false;
  }

  /** Null goes back to what the operator chose. Whether it worked. */
  async chooseFor(purpose: Purpose, wish: ModelWish | null): Promise<boolean> {
    return this.#ask(() => this.client.chooseModel(purpose, wish));
  }

  async #ask(work: () => Promise<Answer>): Promise<boolean> {
    const answer = await this.toasts.trying(work);
    if (answer) this.known = answer;
    return answer !== undefined;
  }
}
