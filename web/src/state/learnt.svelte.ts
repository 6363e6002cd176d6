/** Notifies about new memories, if that is switched on. The setting is kept in this browser. */
import type { MemoryEvent } from "../api/types";
import { addressOf } from "../places";
import { shortened } from "../text/shorten";
import type { Memories } from "./memories.svelte";
import type { Toasts } from "./toasts.svelte";

const KEY = "everlore.learnt";
/** Memories that Everlore formed itself. */
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

  /** One message for each memory. Undo rejects it, so that it isn't learned again from the same words. */
  hear(event: MemoryEvent): void {
    if (!this.on || event.type !== "memory.created") return;
    const { id, shown, origin, status } = event.memory;
    if (status !== "active" || !LEARNT.includes(origin)) return;
    this.toasts.learnt(`New memory: ${shortened(shown)}`, {
      href: addressOf("memory", { id }),
      action: { label: "Undo", run: () => this.memories.reject(id) },
    });
  }
}
