/** What people do with memories. What came of it is told to every list, as if the server had said so. */
import type { Client } from "../api/client";
import type { Memory, MemoryChanges, MemoryEvent, NewMemory, SavedMemory } from "../api/types";
import { shortened } from "../text/shorten";
import type { Toasts } from "./toasts.svelte";

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
    if (one) for (const each of others) this.#tell({ ...each, status: "superseded", superseded_by: one.id });
    return one;
  }

  /** It is out of recall at once, and deleted for good when nobody took it back. */
  async forget(memory: Memory): Promise<boolean> {
    const withdrawn = await this.#changed(() => this.client.withdraw(memory.id), memory.id);
    if (!withdrawn) return false;
    this.toasts.undoable(
      `Forgotten: ${shortened(memory.content)}`,
      () => this.restore(memory.id),
      () => this.#delete(memory.id),
    );
    return true;
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
