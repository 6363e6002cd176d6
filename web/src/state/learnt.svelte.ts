/** Notifies about new memories, if that is switched on. The setting is kept in this browser. */
import type { MemoryEvent } from "../api/types";
import { addressOf } from "../places";
import { counted } from "../text/numbers";
import { shortened } from "../text/shorten";
import type { Memories } from "./memories.svelte";
import type { Toasts } from "./toasts.svelte";

const KEY = "everlore.learnt";
/** Memories that Everlore formed itself. */
const LEARNT = ["extractor", "keyframe", "analysis"];

export class Learnt {
  on = $state(true);
  /** The memories in the message that is on the page, newest first. */
  #news: { id: string; shown: string }[] = [];

  constructor(
    readonly toasts: Toasts,
    readonly memories: Memories,
    readonly storage: Storage,
  ) {
    this.on = storage.getItem(KEY) !== "off";
  }

  switch(on: boolean): void {
    this.on = on;
    this.storage.setItem(KEY, on ? "on" : "off");
  }

  /** Undo rejects the memories, so that they aren't learned again from the same words. */
  hear(event: MemoryEvent): void {
    if (!this.on || event.type !== "memory.created") return;
    const { id, shown, origin, status } = event.memory;
    if (status !== "active" || !LEARNT.includes(origin)) return;
    this.#news = [{ id, shown }, ...this.#news.filter((each) => each.id !== id)];
    this.#tell(shown);
  }

  /** One message for everything that was learned while it is on the page. */
  #tell(latest: string): void {
    const news = this.#news;
    const [one] = news.length === 1 ? news : [];
    const text = one
      ? `New memory: ${shortened(latest)}`
      : `${counted(news.length, "new memory", "new memories")}: ${shortened(news.map(({ shown }) => shown).join(" · "))}`;
    this.toasts.learnt(text, {
      href: one ? addressOf("memory", { id: one.id }) : addressOf("memories"),
      action: { label: one ? "Undo" : "Undo all", run: () => this.#undo(news) },
      settle: () => (this.#news = []),
    });
  }

  async #undo(news: { id: string }[]): Promise<void> {
    this.#news = [];
    for (const { id } of news) await this.memories.reject(id);
  }
}
