/** Actions on memories. Each result is sent to every list, like an event from the server. */
import type { Client } from "../api/client";
import type { Memory, MemoryChanges, MemoryEvent, NewMemory, SavedMemory } from "../api/types";
import { counted } from "../text/numbers";
import { shortened } from "../text/shorten";
import type { Toasts } from "./toasts.svelte";

/** Requests that are sent at the same time. */
const AT_ONCE = 8;

export class Memories {
  constructor(
    readonly client: Client,
    readonly toasts: Toasts,
    readonly tell: (event: MemoryEvent) => void,
  ) {}

  async remember(memory: NewMemory): Promise<SavedMemory | undefined> {
    const saved = await this.toasts.trying(() => this.client.remember(memory));
    if (saved) this.#tell(saved);
    return saved;
  }

  async change(id: string, changes: Partial<MemoryChanges>): Promise<Memory | undefined> {
    return this.#changed(() => this.client.changeMemory(id, changes), id);
  }

  async approve(id: string): Promise<Memory | undefined> {
    return this.#changed(() => this.client.approve(id), id);
  }

  async reject(id: string): Promise<Memory | undefined> {
    return this.#changed(() => this.client.reject(id), id);
  }

  async restore(id: string): Promise<Memory | undefined> {
    return this.#changed(() => this.client.restore(id), id);
  }

  async merge(kept: Memory, others: Memory[], content: string): Promise<Memory | undefined> {
    const ids = others.map(({ id }) => id);
    const one = await this.#changed(() => this.client.merge(kept.id, ids, content), kept.id);
    const mark = { status: "superseded" as const, superseded_by: one?.id ?? null };
    if (one) for (const each of others) this.#tell({ ...each, ...mark, extra: { ...each.extra, merged: true } });
    return one;
  }

  /** Removed from recall at once; deleted permanently when the undo period is over. */
  async forget(memory: Memory): Promise<boolean> {
    const withdrawn = await this.#changed(() => this.client.withdraw(memory.id), memory.id);
    if (!withdrawn) return false;
    this.toasts.undoable(
      `Forgotten: ${shortened(memory.shown)}`,
      () => this.restore(memory.id),
      () => this.#delete(memory.id),
    );
    return true;
  }

  /** Forgets several with one toast; its undo restores all of them. */
  async forgetAll(memories: Memory[]): Promise<void> {
    const done: Memory[] = [];
    for (let at = 0; at < memories.length; at += AT_ONCE) {
      const part = memories.slice(at, at + AT_ONCE);
      const results = await Promise.all(part.map(({ id }) => this.#changed(() => this.client.withdraw(id), id)));
      done.push(...part.filter((_, index) => results[index]));
    }
    if (!done.length) return;
    const each = (work: (id: string) => Promise<unknown>) => async () => {
      for (const { id } of done) await work(id);
    };
    this.toasts.undoable(
      `Forgotten: ${counted(done.length, "memory", "memories")}`,
      each((id) => this.restore(id)),
      each((id) => this.#delete(id)),
    );
  }

  async deleteForGood(id: string): Promise<boolean> {
    return (await this.toasts.trying(() => this.#delete(id).then(() => true))) ?? false;
  }

  async #delete(id: string): Promise<void> {
    await this.client.deleteMemory(id);
    this.tell({ type: "memory.deleted", conversation_id: null, memory_id: id });
  }

  async #changed(work: () => Promise<Memory>, id: string): Promise<Memory | undefined> {
    const gone = () => this.tell({ type: "memory.deleted", conversation_id: null, memory_id: id });
    const memory = await this.toasts.trying(work, gone);
    if (memory) this.#tell(memory);
    return memory;
  }

  #tell(memory: Memory): void {
    const type = memory.revision === 1 ? "memory.created" : "memory.updated";
    this.tell({ type, conversation_id: memory.conversation_id, memory_id: memory.id, memory });
  }
}
