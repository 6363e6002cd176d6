/** Files on their way in: each is previewed, imported when the user says so, and reported. */
import * as api from "../api/house";
import { Problem } from "../api/problem";

export interface ImportFile {
  file: File;
  state: "reading" | "ready" | "importing" | "done" | "failed";
  /** The preview, then the result. */
  result: api.ImportResult | null;
  failure: string;
}

export class Importing {
  files = $state.raw<readonly ImportFile[]>([]);
  /** Who speaks in the chats; empty: by the name in the file. */
  characterId = $state("");
  replace = $state(false);
  busy = $state(false);

  readonly ready = $derived(this.files.filter((each) => each.state === "ready" && each.result?.is_new));
  readonly done = $derived(this.files.filter((each) => each.state === "done"));
  readonly hasChats = $derived(this.files.some(({ result }) => result?.kind === "chat" || result?.kind === "chats"));
  readonly hasLorebook = $derived(this.files.some(({ result }) => result?.kind === "lorebook"));
  readonly hasWorkspace = $derived(this.files.some(({ result }) => result?.kind === "workspace"));

  async add(files: Iterable<File>): Promise<void> {
    const added = [...files].map((file): ImportFile => ({ file, state: "reading", result: null, failure: "" }));
    this.files = [...this.files, ...added];
    for (const each of added) await this.#send(each, true);
  }

  /** Previews everything again, after an option has changed. */
  async refresh(): Promise<void> {
    for (const each of this.files.filter(({ state }) => state === "ready")) await this.#send(each, true);
  }

  async start(): Promise<void> {
    this.busy = true;
    for (const each of this.ready) await this.#send(each, false);
    this.busy = false;
  }

  remove(gone: ImportFile): void {
    this.files = this.files.filter(({ file }) => file !== gone.file);
  }

  clear(): void {
    this.files = [];
  }

  async #send({ file }: ImportFile, dryRun: boolean): Promise<void> {
    this.#put(file, { state: dryRun ? "reading" : "importing" });
    try {
      const options = { dryRun, replace: this.replace, characterId: this.characterId || null };
      const result = await api.importFile(file, options);
      this.#put(file, { state: dryRun ? "ready" : "done", result, failure: "" });
    } catch (reason) {
      if (!(reason instanceof Problem)) throw reason;
      this.#put(file, { state: "failed", failure: reason.message });
    }
  }

  #put(file: File, change: Partial<ImportFile>): void {
    this.files = this.files.map((each) => (each.file === file ? { ...each, ...change } : each));
  }
}
