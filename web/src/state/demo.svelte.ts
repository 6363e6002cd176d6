/** The demo world: whether it is here, in with one click, and out with another. */
import * as api from "../api/house";
import type { Toasts } from "./toasts.svelte";

export class Demo {
  here = $state(false);
  busy = $state(false);

  constructor(
    readonly toasts: Toasts,
    /** Much came, or went: what is on the page is read again. */
    readonly onChanged: () => void,
  ) {}

  async load(): Promise<void> {
    this.here = await api.demoIsHere();
  }

  async open(): Promise<boolean> {
    const opened = await this.#doing(() => api.openDemo());
    if (opened) this.toasts.note("The demo world is here. It can be removed in one go, at the bottom of Home.");
    return opened;
  }

  async remove(): Promise<boolean> {
    const removed = await this.#doing(() => api.removeDemo());
    if (removed) this.toasts.note("The demo world is gone.");
    return removed;
  }

  async #doing(work: () => Promise<unknown>): Promise<boolean> {
    this.busy = true;
    const done = await this.toasts.trying(async () => (await work(), true));
    this.busy = false;
    if (!done) return false;
    await this.load();
    this.onChanged();
    return true;
  }
}
