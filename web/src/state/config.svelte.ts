/** The definition of a chat's settings, loaded when it is first needed. */
import type { Client } from "../api/client";
import type { ConfigSchema } from "../config/fields";
import type { Toasts } from "./toasts.svelte";

export class Config {
  schema = $state.raw<ConfigSchema | null>(null);

  constructor(
    readonly client: Client,
    readonly toasts: Toasts,
  ) {}

  async load(): Promise<void> {
    if (this.schema) return;
    const schema = await this.toasts.trying(() => this.client.configSchema());
    if (schema) this.schema = schema;
  }
}
