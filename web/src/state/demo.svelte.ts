/** The demo: a sample world that can be opened and removed with one click each. */
import * as api from "../api/house";
import type { App } from "./app.svelte";
import type { Toasts } from "./toasts.svelte";

export class Demo {
  /** Whether it is in this workspace; null while that is unknown, and for users who may not open it. */
  here = $state<boolean | null>(null);
  /** Its people and chats. */
  ids = $state.raw(new Set<string>());
  busy = $state(false);

  constructor(
    readonly toasts: Toasts,
    /** Reloads the page's lists. */
    readonly onChanged: () => void,
  ) {}

  async load(): Promise<void> {
    const found = await api.findDemo();
    this.here = found?.here ?? null;
    this.ids = new Set(found?.ids);
  }

  async open(): Promise<boolean> {
    const opened = await this.#doing(() => api.openDemo());
    if (opened) this.toasts.note("Demo opened. Home shows where to begin.");
    return opened;
  }

  /** Removes it if the user confirms. */
  async confirmRemove(app: Pick<App, "ask">): Promise<void> {
    const text =
      "This deletes the demo’s characters, chats, memories and campaign, with everything you added to them. Your own chats stay.";
    if (await app.ask({ title: "Remove the demo?", text, action: "Remove" })) await this.remove();
  }

  async remove(): Promise<boolean> {
    const removed = await this.#doing(() => api.removeDemo());
    if (removed) this.toasts.note("Demo removed.");
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
