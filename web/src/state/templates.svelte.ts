/** The prompt templates of the workspace: built-in ones and the user's own. */
import type { Client } from "../api/client";
import type { TemplateSummary } from "../api/types";
import type { Toasts } from "./toasts.svelte";

export class Templates {
  list = $state.raw<TemplateSummary[]>([]);
  loaded = $state(false);
  unreadable = $state(false);
  readonly builtIn = $derived(this.list.filter((each) => each.built_in));
  readonly own = $derived(this.list.filter((each) => !each.built_in));

  constructor(
    readonly client: Client,
    readonly toasts: Toasts,
  ) {}

  async load(): Promise<void> {
    const list = await this.toasts.trying(() => this.client.templates());
    this.unreadable = !list;
    if (list) this.list = list;
    this.loaded ||= !this.unreadable;
  }

  /** A chat names its template by id or by name; the id wins. */
  find(nameOrId: string): TemplateSummary | undefined {
    return this.list.find(({ id }) => id === nameOrId) ?? this.list.find(({ name }) => name === nameOrId);
  }
}
