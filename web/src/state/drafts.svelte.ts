/** What was typed and not sent, for each conversation, kept in this browser. */
const PREFIX = "everlore.draft.";

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
