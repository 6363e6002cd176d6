/** The list of chats: the newest activity first. */
import type { Client } from "../api/client";
import { Problem } from "../api/problem";
import type { ChatEvent, Conversation, ConversationChanges, Message, NewConversation, Resting } from "../api/types";
import { afterMessage, heard } from "./hearing";
import type { Toasts } from "./toasts.svelte";

export class Chats {
  list = $state.raw<Conversation[]>([]);
  loaded = $state(false);
  more = $state<string | null>(null);
  /** How often something became known that an answer on its way may lack. */
  #news = 0;
  /** How many changes were made here. */
  #changes = 0;
  /** The last change that was sent. */
  #changing: Promise<unknown> = Promise.resolve();

  constructor(
    readonly client: Client,
    readonly toasts: Toasts,
    /** Something in this conversation, or all of it, was deleted elsewhere. */
    readonly onMissing: (id: string) => void,
  ) {}

  /** What is heard or done while the list is on its way may not be in it: then it is loaded once more. */
  async load(again = false): Promise<void> {
    const before = this.#news;
    const found = await this.toasts.trying(() => Promise.all([this.client.conversations(), this.client.pinnedConversations()]));
    if (!found) return;
    if (this.#news !== before && !again) return this.load(true);
    const [page, pinned] = found;
    const known = new Set(page.items.map(({ id }) => id));
    // Pinned chats are at the top, however old they are.
    this.list = [...page.items, ...pinned.filter(({ id }) => !known.has(id))];
    this.more = page.next;
    this.loaded = true;
  }

  /** Pinned chats, the other open ones, and those that were archived. */
  readonly groups = $derived.by(() => {
    const isArchived = ({ state }: Conversation) => state === "archived";
    return {
      pinned: this.list.filter((each) => each.pinned && !isArchived(each)),
      recent: this.list.filter((each) => !each.pinned && !isArchived(each)),
      archived: this.list.filter(isArchived),
    };
  });

  async loadMore(): Promise<void> {
    const cursor = this.more;
    if (!cursor) return;
    const page = await this.toasts.trying(() => this.client.conversations(cursor));
    if (!page) return;
    const known = new Set(this.list.map(({ id }) => id));
    this.list = [...this.list, ...page.items.filter(({ id }) => !known.has(id))];
    this.more = page.next;
  }

  find(id: string): Conversation | undefined {
    return this.list.find((each) => each.id === id);
  }

  /** One that is open, and perhaps too old for the list. Whoever opened it hears from its log if it is gone. */
  async lookUp(id: string): Promise<void> {
    try {
      const before = this.#changes;
      const found = await this.client.conversation(id);
      if (this.#changes !== before) return await this.lookUp(id);
      this.#put(found);
    } catch (reason) {
      if (!(reason instanceof Problem)) throw reason;
    }
  }

  hear(event: ChatEvent): void {
    this.#news += 1;
    const list = heard(this.list, event);
    if (list) this.list = list;
    else if (event.type === "message.done") void this.lookUp(event.conversation_id);
  }

  /** A message was sent from this page. */
  said(message: Message): void {
    this.list = afterMessage(this.list, message);
  }

  async start(conversation: NewConversation): Promise<Conversation | undefined> {
    return this.#added(() => this.client.start(conversation));
  }

  async branch(id: string, messageId: string): Promise<Conversation | undefined> {
    return this.#added(
      () => this.client.branch(id, messageId),
      () => this.onMissing(id),
    );
  }

  /** Whether the server took it. One change after another: an early answer that comes late would take back the next. */
  async change(id: string, changes: ConversationChanges): Promise<boolean> {
    const change = this.#changing.then(() => this.#change(id, changes));
    this.#changing = change.catch(() => undefined);
    return change;
  }

  async #change(id: string, changes: ConversationChanges): Promise<boolean> {
    const changed = await this.toasts.trying(
      () => this.client.change(id, changes),
      () => this.onMissing(id),
    );
    this.#news += 1;
    this.#changes += 1;
    if (changed) this.list = this.list.map((each) => (each.id === id ? changed : each));
    return changed !== undefined;
  }

  async resting(id: string): Promise<Resting | undefined> {
    return await this.toasts.trying(
      () => this.client.resting(id),
      () => this.onMissing(id),
    );
  }

  async remove(id: string, keepMemories: boolean): Promise<boolean> {
    const gone = await this.toasts.trying(
      async () => {
        await this.client.deleteConversation(id, keepMemories);
        return true;
      },
      () => this.onMissing(id),
    );
    if (gone) this.drop(id);
    return gone ?? false;
  }

  /** It is gone from the server already. */
  drop(id: string): void {
    this.#news += 1;
    this.list = this.list.filter((each) => each.id !== id);
  }

  async #added(work: () => Promise<Conversation>, onMissing?: () => void): Promise<Conversation | undefined> {
    const added = await this.toasts.trying(work, onMissing);
    if (added) this.#put(added);
    return added;
  }

  #put(conversation: Conversation): void {
    this.#news += 1;
    const others = this.list.filter(({ id }) => id !== conversation.id);
    this.list = [...others, conversation].sort((a, b) => b.updated_at.localeCompare(a.updated_at));
  }
}

/** What a conversation is called, also before it has a title. `titling`: one is being made for it. */
export function titleOf({ title, writing, message_count, characters }: Conversation, titling = false): string {
  if (title) return title;
  if (titling || (writing && message_count <= 3)) return "Generating…";
  return `Chat with ${namesOf({ characters })}`;
}

export function namesOf({ characters }: Pick<Conversation, "characters">): string {
  return characters.map(({ name }) => name).join(", ") || "nobody";
}
