/** The form that connects a model: a preset or an address, the server's models, and a test before it is saved. */
import * as api from "../api/house";
import type { Models } from "../state/models.svelte";
import type { Toasts } from "../state/toasts.svelte";
import { PRESETS, type Preset, presetFor, withScheme } from "./presets";

export class Connection {
  preset = $state.raw<Preset>(PRESETS[0] as Preset);
  address = $state("");
  model = $state("");
  key = $state("");
  /** A key is saved for this address; an empty field keeps it. */
  hasKey = $state(false);
  offered = $state.raw<readonly string[]>([]);
  listing = $state(false);
  testing = $state(false);
  result = $state.raw<api.ModelTest | null>(null);
  #savedAddress = "";
  #request = 0;

  constructor(
    readonly purpose: api.Purpose,
    readonly models: Models,
    readonly toasts: Toasts,
  ) {
    const choice = models.known?.[purpose];
    if (choice && !choice.built_in && choice.base_url) {
      this.preset = presetFor(choice.provider, choice.base_url);
      this.address = this.#savedAddress = choice.base_url;
      this.model = choice.model;
      this.hasKey = choice.has_key;
    } else this.address = this.preset.address;
  }

  get wish(): api.ModelWish {
    const provider = this.preset.provider ?? "openai";
    return { provider, base_url: this.address.trim(), model: this.model.trim(), api_key: this.key.trim() || null };
  }

  choosePreset(preset: Preset): void {
    this.preset = preset;
    this.address = preset.address;
    this.model = this.key = "";
    this.addressChanged();
    if (!preset.needsKey) void this.list();
  }

  addressChanged(): void {
    // What was asked of another address says nothing about this one.
    this.#request++;
    this.listing = this.testing = false;
    this.preset = presetFor(this.preset.provider ?? "openai", this.address.trim());
    this.offered = [];
    this.result = null;
    this.hasKey = this.hasKey && this.address.trim() === this.#savedAddress;
  }

  addressEntered(): void {
    this.address = withScheme(this.address);
    this.addressChanged();
    void this.list();
  }

  /** Loads the server's models. Says what is wrong only if somebody asked. */
  async list(isAsked = false): Promise<void> {
    if (!this.address.trim()) return;
    const request = ++this.#request;
    this.listing = true;
    const found = await this.toasts.trying(() => api.listModels(this.purpose, this.wish));
    if (request !== this.#request) return;
    this.listing = false;
    if (!found) return;
    this.offered = found.models ?? [];
    if (!this.model && this.offered[0]) this.model = this.offered[0];
    if (isAsked || found.problem === "") this.result = found.problem ? found : null;
  }

  /** Tests the model, and saves it if it works. Returns whether it was saved. */
  async connect(): Promise<boolean> {
    const request = ++this.#request;
    const { wish } = this;
    this.listing = false;
    this.testing = true;
    this.result = null;
    const result = await this.toasts.trying(() => api.tryModel(this.purpose, wish));
    if (request !== this.#request) return false;
    this.testing = false;
    this.result = result ?? null;
    if (result?.models?.length) this.offered = result.models;
    return result?.state === "ok" && (await this.save(wish));
  }

  save(wish = this.wish): Promise<boolean> {
    return this.models.chooseFor(this.purpose, wish);
  }
}
