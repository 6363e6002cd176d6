/** Tells what was learnt just now, where that is wanted. Kept in this browser. */
import type { MemoryEvent } from "../api/types";
import { addressOf } from "../places";
import { shortened } from "../text/shorten";
import type { Memories } from "./memories.svelte";
import type { Toasts } from "./toasts.svelte";

const KEY = "everlore.learnt";
/** What nobody wrote down by hand. */
const LEARNT = ["extractor", "keyframe", "analysis"];

export class Learnt {
  on = $state(true);

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

  /** To take it back is to say that it is wrong: it is not learnt again of the same words. */
  hear(event: MemoryEvent): void {
    if (!this.on || event.type !== "memory.created") return;
    const { id, content, origin, status } = event.memory;
    if (status !== "active" || !LEARNT.includes(origin)) return;
    this.toasts.learnt(`Learnt: ${shortened(content)}`, addressOf("memory", { id }), () => this.memories.reject(id));
  }
}
