/** The lorebooks of a person, a campaign or the workspace. */
import * as api from "../api/lorebooks";
import { Latest } from "./latest.svelte";
import type { Toasts } from "./toasts.svelte";

export class LorebookList {
  readonly loaded = new Latest<api.Lorebook[]>();

  constructor(
    readonly owner: api.LorebookOwner,
    readonly toasts: Toasts,
  ) {}

  load(): Promise<void> {
    return this.loaded.ask(() => api.lorebooks(this.owner));
  }

  async create(name: string): Promise<api.Lorebook | undefined> {
    return this.#added(await this.toasts.trying(() => api.createLorebook(this.owner, name)))?.lorebook;
  }

  async import(file: File): Promise<api.ImportedLorebook | undefined> {
    return this.#added(await this.toasts.trying(() => api.importLorebook(this.owner, file)));
  }

  async switch(id: string, enabled: boolean): Promise<void> {
    const changed = await this.toasts.trying(() => api.switchLorebook(this.owner, id, enabled));
    // Read again where it failed, so that the switch shows what the server has.
    if (changed) this.loaded.answer = this.#list.map((each) => (each.id === id ? changed : each));
    else await this.load();
  }

  async remove(id: string): Promise<void> {
    const gone = await this.toasts.trying(async () => (await api.deleteLorebook(this.owner, id), true));
    if (gone) this.loaded.answer = this.#list.filter((each) => each.id !== id);
  }

  /** After its entries were saved. */
  saved(id: string, { name, entries }: api.LorebookContent): void {
    this.loaded.answer = this.#list.map((each) => (each.id === id ? { ...each, name, entries: entries.length } : each));
  }

  get #list(): api.Lorebook[] {
    return this.loaded.answer ?? [];
  }

  #added<T extends { lorebook: api.Lorebook }>(added: T | undefined): T | undefined {
    if (added) this.loaded.answer = [...this.#list, added.lorebook];
    return added;
  }
}
