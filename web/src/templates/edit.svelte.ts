/** A template in the editor: its text, its problems, and its preview. */
import type { Client } from "../api/client";
import { Problem } from "../api/problem";
import type { Template, TemplateCheck, Written, XRay } from "../api/types";
import { Latest } from "../state/latest.svelte";
import { read, textOf } from "./document";

export interface Trial {
  check: TemplateCheck;
  preview: XRay | null;
}

export class TemplateEdit {
  text = $state("");
  /** The saved template; null for a new one. */
  kept = $state.raw<Template | null>(null);
  saving = $state(false);
  /** Why it could not be saved, or deleted. */
  failure = $state("");
  /** The preview of the last text without errors. */
  preview = $state.raw<XRay | null>(null);
  readonly trial = new Latest<Trial>();
  /** The template that this one extends. */
  readonly parent = new Latest<Template>();
  #saved = $state("");

  readonly read = $derived(read(this.text));
  readonly isChanged = $derived(this.text !== this.#saved);
  readonly isOwn = $derived(!this.kept?.built_in);
  readonly parentName = $derived(typeof this.read.document?.extends === "string" ? this.read.document.extends : "");

  constructor(
    readonly client: Client,
    from: Template | string,
  ) {
    if (typeof from === "string") this.text = this.#saved = from;
    else this.#keep(from);
  }

  /** Changes the text as the form does. */
  write(document: Written): void {
    this.text = JSON.stringify(document, null, 2);
  }

  async loadParent(): Promise<void> {
    const name = this.parentName;
    if (name) await this.parent.ask(() => this.client.template(name));
    else this.parent.forget();
  }

  /** Checks the text, and renders a preview if it has no errors. */
  async tryOut(conversationId: string | null, content: string): Promise<void> {
    const { document } = this.read;
    if (!document) return this.trial.forget();
    await this.trial.ask(async () => {
      const check = await this.client.checkTemplate(document);
      // The server refuses to preview a template with errors.
      const preview = check.valid ? await this.client.previewTemplate(document, conversationId, content) : null;
      return { check, preview };
    });
    this.preview = this.trial.answer?.preview ?? this.preview;
  }

  /** Returns whether it was saved. */
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
