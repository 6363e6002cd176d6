/**
 * The open chat: its messages, the reply being written, and what can be done to both.
 *
 * A reply belongs to the server: leaving the page does not end it, and coming back reads along again.
 */
import type { Client, Turn } from "../api/client";
import { Problem } from "../api/problem";
import type { ChatEvent, Message, TurnEvent, Voice } from "../api/types";
import { tick } from "svelte";
import { Echoes, joined, nextStep, refreshed, write } from "./hearing";
import type { Toasts } from "./toasts.svelte";

/** Messages per request: while scrolling, and on the way to a certain message. */
const OLDER = 200;
const MOST_OLDER = 1_000;

export class Thread {
  messages = $state<Message[]>([]);
  loaded = $state(false);
  /** Why the log could not be read. */
  failure = $state("");
  /** Where older messages begin; null when all are here. */
  older = $state<string | null>(null);
  /** Sent, and not yet in the server's log. */
  pending = $state("");
  /** Whether a reply is being read as it is written. */
  reading = $state(false);
  editing = $state<string | null>(null);
  /** Whether the bar that searches in this chat is open. */
  finding = $state(false);
  /** Whether older messages are being put before those on the page. */
  loadingOlder = $state(false);
  /** The message to scroll to; a new object each time. */
  target = $state.raw<{ messageId: string } | null>(null);

  /** The messages that are part of the talk: without those that another app removed. */
  readonly current = $derived(this.messages.filter(({ withdrawn }) => !withdrawn));
  readonly writing = $derived(this.reading || this.messages.at(-1)?.state === "streaming");
  readonly lastReply = $derived(this.current.findLast(({ author }) => author === "assistant"));
  readonly lastAsked = $derived(this.current.findLast(wasAsked));
  readonly lastSaid = $derived(this.current.findLast(({ author }) => author === "user"));

  #leaving = new AbortController();
  #echoes = new Echoes();
  /** Replies that were read: a log that was asked for before the last of them may lack it. */
  #turns = 0;
  /** Deltas wait for the next frame: a model may be faster than a screen. */
  #unshown = "";

  constructor(
    readonly id: string,
    readonly client: Client,
    readonly toasts: Toasts,
    readonly announce: (text: string) => void,
    /** The whole conversation was deleted elsewhere. */
    readonly onGone: () => void,
    /** The server has what the user sent. */
    readonly onSaid: (message: Message) => void,
  ) {}

  async open(): Promise<void> {
    try {
      await this.refresh();
    } catch (reason) {
      if (!(reason instanceof Problem)) throw reason;
      this.#close(reason);
    }
    this.loaded = true;
  }

  /** As `open`, for a log that is on the page: it stays there as long as the conversation does. */
  async lookAgain(): Promise<void> {
    await this.#trying(() => this.refresh());
  }

  leave(): void {
    this.#leaving.abort();
  }

  /** Reads the newest part of the log again, and goes on reading a reply that is still being written. */
  async refresh(): Promise<void> {
    const turns = this.#turns;
    const page = await this.client.messages(this.id);
    // What is being read is ahead of the log.
    if (this.reading && this.loaded) return;
    if (this.#turns !== turns && !this.reading) return this.refresh();
    const newest = page.items.toReversed();
    const fits = newest.some(({ seq }) => seq <= (this.messages.at(-1)?.seq ?? 0));
    if (this.reading) this.messages = joined(this.messages, newest);
    else this.messages = fits ? refreshed(this.messages, newest) : newest;
    if (!fits || !this.loaded) this.older = page.next;
    this.failure = "";
    if (this.messages.at(-1)?.state === "streaming") void this.#follow();
  }

  async loadOlder(limit = OLDER): Promise<void> {
    const cursor = this.older;
    if (!cursor || this.loadingOlder) return;
    this.loadingOlder = true;
    try {
      const page = await this.#trying(() => this.client.messages(this.id, cursor, limit));
      if (!page || this.older !== cursor) return;
      this.messages = [...page.items.toReversed(), ...this.messages];
      this.older = page.next;
      await tick();
    } finally {
      this.loadingOlder = false;
    }
  }

  /** Loads back until this message is here. Whether it is. */
  async reach(messageId: string): Promise<boolean> {
    return this.#loadUntil(() => this.messages.some(({ id }) => id === messageId));
  }

  /** Scrolls to a message. */
  show(messageId: string): void {
    this.target = { messageId };
  }

  /** Scrolls to the first message. */
  async showStart(): Promise<void> {
    await this.#loadUntil(() => this.older === null);
    const first = this.messages[0];
    if (first) this.show(first.id);
  }

  /** Scrolls to the first message on or after a day, given as 2026-03-14. Whether there is one. */
  async showDay(day: string): Promise<boolean> {
    const start = new Date(`${day}T00:00`).getTime();
    const isBefore = ({ created_at }: Message) => Date.parse(created_at) < start;
    await this.#loadUntil(() => this.messages.some(isBefore));
    const first = this.messages.find((each) => !isBefore(each));
    if (first) this.show(first.id);
    return first !== undefined;
  }

  /** Loads older messages until it is enough, or all are here. Whether it is enough. */
  async #loadUntil(isEnough: () => boolean): Promise<boolean> {
    while (!isEnough() && this.older) {
      const before = this.older;
      // Scrolling may be loading some already.
      if (this.loadingOlder) await new Promise(requestAnimationFrame);
      else if ((await this.loadOlder(MOST_OLDER), this.older === before)) break;
    }
    return isEnough();
  }

  hear(event: ChatEvent): void {
    const step = nextStep(this.id, this.#echoes, event);
    if (step === "follow") void this.#follow();
    if (step === "refresh") void this.lookAgain();
  }

  // ── replies

  /** Whether the server took the text; if not, the writer keeps it. */
  async say(content: string, speakerId: string | null = null, voice: Voice = {}): Promise<boolean> {
    this.pending = content;
    const taken = await this.#read(this.client.say(this.id, content, speakerId, voice, this.#leaving.signal));
    this.pending = "";
    return taken;
  }

  /** Adds a message that nobody replies to. */
  async note(content: string, voice: Voice = {}): Promise<boolean> {
    this.pending = content;
    const message = await this.#trying(() => this.client.note(this.id, content, voice));
    this.pending = "";
    if (!message) return false;
    this.messages = joined(this.messages, [message]);
    this.onSaid(message);
    return true;
  }

  async regenerate(message: Message): Promise<void> {
    await this.#read(this.client.regenerate(this.id, message.id, this.#leaving.signal));
  }

  async goOn(message: Message): Promise<void> {
    await this.#read(this.client.goOn(this.id, message.id, this.#leaving.signal));
  }

  async stop(): Promise<void> {
    await this.#trying(() => this.client.stop(this.id));
  }

  // ── the log

  /** The next or the previous alternative; past the newest of the last reply, another is written. */
  async swipe(message: Message, by: 1 | -1): Promise<void> {
    const index = message.chosen + by;
    if (this.writing || index < 0) return;
    if (index < message.alternatives.length) {
      await this.#replaced(() => this.client.choose(this.id, message.id, index));
    } else if (this.canRegenerate(message)) {
      await this.regenerate(message);
    }
  }

  /** A greeting answers nothing, so there is nothing to answer again. */
  canRegenerate(message: Message): boolean {
    return message === this.current.at(-1) && message.author === "assistant" && this.lastSaid !== undefined;
  }

  async edit(message: Message, content: string): Promise<boolean> {
    const edited = await this.#replaced(() => this.client.edit(this.id, message.id, content));
    if (edited) this.editing = null;
    return edited;
  }

  async remove(message: Message, fromHere: boolean): Promise<void> {
    const gone = await this.#trying(() => this.client.deleteMessage(this.id, message.id, fromHere));
    if (gone) this.messages = this.messages.filter(({ id }) => !gone.includes(id));
  }

  /** Brings back a message that another app removed, with those that it removed at the same time. */
  async restore(message: Message): Promise<void> {
    const restored = await this.#trying(() => this.client.restoreMessage(this.id, message.id));
    if (!restored) return;
    // Other messages may have been removed in turn, anywhere in the log.
    this.messages = [];
    await this.lookAgain();
  }

  async #replaced(work: () => Promise<Message>): Promise<boolean> {
    const message = await this.#trying(work);
    if (message) this.messages = this.messages.map((each) => (each.id === message.id ? message : each));
    return message !== undefined;
  }

  /** What is missing may be one message, or the conversation: the log says which. */
  #trying<T>(work: () => Promise<T>): Promise<T | undefined> {
    return this.toasts.trying(work, () => this.open());
  }

  #close(reason: Problem): void {
    this.failure = reason.message;
    if (reason.status === 404) this.onGone();
  }

  // ── reading

  /** It may be that there is nothing to read along with: the reply was finished between two looks. */
  async #follow(): Promise<void> {
    await this.#read(this.client.follow(this.id, this.#leaving.signal));
  }

  /** Whether the server began to answer. */
  async #read(turn: Turn): Promise<boolean> {
    if (this.reading) return false;
    this.reading = true;
    this.#turns += 1;
    this.#echoes.begin();
    let last: TurnEvent | undefined;
    try {
      for await (const event of turn) {
        this.#show((last = event));
        // The connection may stay open a little longer; the reply has ended.
        if (event.type === "done") break;
      }
    } catch (reason) {
      this.#failed(reason);
    } finally {
      this.reading = false;
      this.#echoes.end(last?.type === "done" ? last.reply.id : undefined);
    }
    if (last?.type !== "done" && !this.#leaving.signal.aborted) await this.#catchUp();
    return last !== undefined;
  }

  /** The connection was lost, or the reply ended before it was read: the log has it, finished or not. */
  async #catchUp(): Promise<void> {
    try {
      const page = await this.client.messages(this.id);
      this.messages = refreshed(this.messages, page.items.toReversed());
    } catch (reason) {
      // That the server does not answer was said already.
      if (reason instanceof Problem && reason.status === 404) this.#close(reason);
    }
  }

  #failed(reason: unknown): void {
    if (this.#leaving.signal.aborted) return;
    if (!(reason instanceof Problem)) throw reason;
    this.toasts.error(reason.message);
  }

  #show(event: TurnEvent): void {
    if (event.type === "delta") return this.#showSoon(event.text);
    this.#unshown = "";
    write(this.messages, event);
    if (event.type === "turn") {
      this.pending = "";
      if (event.user_message) this.onSaid(event.user_message);
    }
    this.announce(spoken(event));
  }

  #showSoon(text: string): void {
    if (this.#unshown === "") requestAnimationFrame(() => this.#showNow());
    this.#unshown += text;
  }

  #showNow(): void {
    if (this.#unshown) write(this.messages, { type: "delta", text: this.#unshown });
    this.#unshown = "";
  }
}

/** Whether it was asked of a model: a greeting was not. */
export function wasAsked({ author, model, error }: Message): boolean {
  return author === "assistant" && Boolean(model || error);
}

/** For those who hear the page: that a reply begins, and then all of it, not each piece. */
function spoken(event: TurnEvent): string {
  if (event.type === "delta") return "";
  const { name, error, display_content: text } = event.reply;
  return event.type === "turn" ? `${name} is replying…` : `${name}: ${error || text}`;
}
