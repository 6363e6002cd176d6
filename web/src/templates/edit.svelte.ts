/** One template while it is read or changed: its text, what is wrong with it, and what it makes of a scene. */
import type { Client } from "../api/client";
import { Problem } from "../api/problem";
import type { Template, TemplateCheck, XRay } from "../api/types";
import { Latest } from "../state/latest.svelte";
import { read, textOf } from "./document";

export interface Trial {
  check: TemplateCheck;
  preview: XRay | null;
}

export class TemplateEdit {
  text = $state("");
  /** What is changed; null: a new one. */
  kept = $state.raw<Template | null>(null);
  saving = $state(false);
  /** Why it could not be saved, or deleted. */
  failure = $state("");
  /** Of the last text that had no errors. */
  preview = $state.raw<XRay | null>(null);
  readonly trial = new Latest<Trial>();
  #saved = $state("");

  readonly read = $derived(read(this.text));
  readonly isChanged = $derived(this.text !== this.#saved);
  readonly isOwn = $derived(!this.kept?.built_in);

  constructor(
    readonly client: Client,
    from: Template | string,
  ) {
    if (typeof from === "string") this.text = this.#saved = from;
    else this.#keep(from);
  }

  /** Checks it as it stands, and draws it if it can be drawn. */
  async tryOut(conversationId: string | null, content: string): Promise<void> {
    const { document } = this.read;
    if (!document) return this.trial.forget();
    await this.trial.ask(async () => {
      const check = await this.client.checkTemplate(document);
      // A preview of what is wrong would only be refused.
      const preview = check.valid ? await this.client.previewTemplate(document, conversationId, content) : null;
      return { check, preview };
    });
    this.preview = this.trial.answer?.preview ?? this.preview;
  }

  /** Whether it is kept now. */
  async save(): Promise<boolean> {
    const { document } = this.read;
    if (!document) return false;
    const { kept, client } = this;
    const save = () =>
      kept ? client.replaceTemplate(kept.id, document, kept.version) : client.createTemplate(document);
    return this.#trying(async () => this.#keep(await save()));
  }

  async remove(): Promise<boolean> {
    const { kept, client } = this;
    return kept !== null && this.#trying(() => client.deleteTemplate(kept.id));
  }

  #keep(template: Template): void {
    this.kept = template;
    this.text = this.#saved = textOf(template.document);
  }

  async #trying(work: () => Promise<void>): Promise<boolean> {
    this.saving = true;
    this.failure = "";
    try {
      await work();
    } catch (reason) {
      if (!(reason instanceof Problem)) throw reason;
      this.failure = reason.message;
    }
    this.saving = false;
    return this.failure === "";
  }
}
