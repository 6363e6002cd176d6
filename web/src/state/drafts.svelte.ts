import type { Told } from "../chat/gossip/tokens";

/** What was typed and not sent, for each conversation, kept in this browser. */
const PREFIX = "everlore.draft.";
const TOLD = "everlore.told.";

export class Drafts {
  /** What stands in the message field at this moment. */
  now = $state("");

  constructor(readonly storage: Storage) {}

  read(conversationId: string): string {
    return this.#safely(() => this.storage.getItem(PREFIX + conversationId)) ?? "";
  }

  keep(conversationId: string, text: string): void {
    this.now = text;
    if (text.trim() === "") return this.drop(conversationId);
    this.#safely(() => this.storage.setItem(PREFIX + conversationId, text));
  }

  /** What is told with it. */
  readTold(conversationId: string): Told[] {
    const kept = this.#safely(() => this.storage.getItem(TOLD + conversationId));
    return kept ? (JSON.parse(kept) as Told[]) : [];
  }

  keepTold(conversationId: string, told: Told[]): void {
    const key = TOLD + conversationId;
    this.#safely(() => (told.length ? this.storage.setItem(key, JSON.stringify(told)) : this.storage.removeItem(key)));
  }

  drop(conversationId: string): void {
    this.#safely(() => this.storage.removeItem(PREFIX + conversationId));
  }

  /** A browser may refuse to keep anything, or be full: a draft is then only in the text field. */
  #safely<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (reason) {
      if (reason instanceof DOMException) return undefined;
      throw reason;
    }
  }
}
