/**
 * Everything the pages share, put together once.
 *
 * Components get it with `useApp()`. Start at `begin`.
 */
import { createContext } from "svelte";
import { Client } from "../api/client";
import { Live, liveAddress } from "../api/live";
import { UNREACHABLE } from "../api/problem";
import {
  type Conversation,
  type Imported,
  isOfChat,
  isOfJob,
  type LiveEvent,
  type Memory,
  type NewConversation,
} from "../api/types";
import type { Target } from "../places";
import { Activity } from "./activity.svelte";
import { Appearance } from "./appearance.svelte";
import { Cast } from "./cast.svelte";
import { Chats } from "./chats.svelte";
import { Config } from "./config.svelte";
import { Demo } from "./demo.svelte";
import { Drafts } from "./drafts.svelte";
import { Inspector } from "./inspector.svelte";
import { Learnt } from "./learnt.svelte";
import { Memories } from "./memories.svelte";
import { MyName } from "./my-name.svelte";
import { Models } from "./models.svelte";
import { Notices } from "./notices.svelte";
import { People } from "./people.svelte";
import { Review } from "./review.svelte";
import { Route } from "./route.svelte";
import { Side } from "./side.svelte";
import { Templates } from "./templates.svelte";
import { Thread } from "./thread.svelte";
import { Toasts } from "./toasts.svelte";

export interface Question {
  title: string;
  text: string;
  action: string;
  /** What can be chosen besides. */
  option?: string;
  answer: (yes: boolean, option?: boolean) => void;
}

/** What lies over the page. */
export type Sheet =
  | { kind: "character" }
  | { kind: "imported"; imported: Imported }
  | { kind: "import"; files?: File[] }
  | { kind: "model" }
  | { kind: "memory"; memory: Memory | null; about?: string[] }
  | { kind: "merge"; memories: Memory[]; done: () => void }
  | { kind: "why-not"; memory: Memory; question: string }
  | { kind: "templates" }
  | { kind: "keys" }
  | { kind: "palette" }
  | { kind: "analysis"; conversationId: string }
  | { kind: "remember"; conversationId: string; messageId: string; quote: string }
  | { kind: "play"; conversationId: string }
  | null;

const OFFLINE_AFTER_MS = 1_500;

export const [useApp, provideApp] = createContext<App>();

export class App {
  readonly client = new Client(() => (this.locked = true));
  readonly toasts = new Toasts();
  readonly chats = new Chats(this.client, this.toasts, (id) => this.#lookFor(id));
  readonly cast = new Cast(this.client, this.toasts);
  readonly models = new Models(this.client, this.toasts);
  readonly myName = new MyName(this.client, this.cast);
  readonly notices = new Notices(sessionStorage);
  readonly people = new People(this.cast, this.myName);
  readonly memories = new Memories(this.client, this.toasts, (event) => this.#hear(event));
  readonly learnt = new Learnt(this.toasts, this.memories, localStorage);
  readonly review = new Review(this.client, this.toasts, localStorage);
  readonly templates = new Templates(this.client, this.toasts);
  readonly activity = new Activity(this.client);
  readonly config = new Config(this.client, this.toasts);
  readonly demo = new Demo(this.toasts, () => this.#load());
  readonly drafts = new Drafts(localStorage);
  readonly route = new Route();
  readonly side = new Side();
  readonly inspector = new Inspector();
  readonly appearance = new Appearance();

  /** How often the server came back: what was read before may be old, and is read again. */
  epoch = $state(0);
  /** How often somebody came back to this window: what no event tells of may have been changed in another one. */
  returns = $state(0);
  /** The server doesn't answer; the page reconnects by itself. */
  offline = $state(false);
  thread = $state.raw<Thread | null>(null);
  sheet = $state.raw<Sheet>(null);
  question = $state.raw<Question | null>(null);
  /** The server wants a token before it shows anything. */
  locked = $state(false);
  /** Read out to those who hear the page. */
  spoken = $state("");

  /** What the list tells of the conversation that is open. */
  readonly here = $derived(this.thread ? this.chats.find(this.thread.id) : undefined);

  #offlineSoon: ReturnType<typeof setTimeout> | undefined;
  readonly #listeners = new Set<(event: LiveEvent) => void>();
  readonly #live = new Live(
    {
      onEvent: (event) => this.#hear(event),
      onBack: () => this.#reload(),
      onFirst: () => (this.#online(), void this.thread?.lookAgain()),
      onLost: () => this.#lost(),
    },
    liveAddress(location),
  );

  begin(): void {
    this.#load();
    this.#live.open();
    // Whoever comes back, or writes, does not want to wait until the next attempt is due.
    for (const sign of ["focus", "input", "online"]) addEventListener(sign, () => this.#live.hurry());
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.#lookAgain());
  }

  reconnect(): void {
    this.#live.hurry();
  }

  /** The conversation with this id becomes the open one; without an id, none is. */
  open(id: string | null): void {
    if (this.thread?.id === id) return;
    this.thread?.leave();
    this.thread = id === null ? null : this.#threadOf(id);
    void this.thread?.open();
    this.inspector.left();
  }

  /** Shows the prompt of the last reply, also while that is being written; of the draft if there is none; or puts it away. */
  togglePrompt(): void {
    if (!this.thread) return;
    const { lastAsked, writing } = this.thread;
    this.inspector.toggle("prompt", { of: lastAsked || writing ? "last" : "draft" });
  }

  /** Where an icon of the rail leads. */
  visit(target: Target): void {
    if ("place" in target) this.route.go(target.place);
    else if ("panel" in target) this.side.toggle(target.panel);
    else this.sheet = target.sheet;
  }

  /** Hears what the server tells, until the function that is given back is called. */
  listen(listener: (event: LiveEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async ask(question: Omit<Question, "answer" | "option">): Promise<boolean> {
    return (await this.choose(question)) !== null;
  }

  /** Whether the option was taken; null: rather not at all. */
  choose(question: Omit<Question, "answer">): Promise<boolean | null> {
    return new Promise((resolve) => {
      const answer = (yes: boolean, option = false) => (resolve(yes ? option : null), (this.question = null));
      this.question = { ...question, answer };
    });
  }

  async talkTo(characterId: string): Promise<void> {
    await this.#begin({ character_id: characterId });
  }

  /** The same talk from its beginning, as somebody else. One in which nothing was said yet gives way to it. */
  async speakAs(conversation: Conversation, personId: string): Promise<void> {
    const said = this.thread?.lastSaid !== undefined;
    const name = this.people.callOf(personId);
    const text = `The messages here were sent as ${this.people.callOf(conversation.user_id)}. They stay in this chat.`;
    if (said && !(await this.ask({ title: `Start over as ${name}?`, text, action: "Start a new chat" }))) return;
    const { system_ids: ids, config } = conversation;
    const begun = await this.#begin({ character_ids: [...ids], user_id: personId, config });
    if (begun && !said) await this.chats.remove(conversation.id, true);
  }

  /** Whether there is a new conversation, which is open then. */
  async #begin(wanted: NewConversation): Promise<boolean> {
    const conversation = await this.chats.start(wanted);
    if (!conversation) return false;
    this.sheet = null;
    this.side.chosen();
    this.route.go("chat", { id: conversation.id });
    return true;
  }

  /** Cards are imported at once; everything else is previewed first. */
  async importFiles(files: File[]): Promise<void> {
    const areCards = await Promise.all(files.map(isCard));
    if (areCards.every(Boolean)) return this.importCharacters(files);
    this.sheet = { kind: "import", files };
  }

  async importCharacters(files: Iterable<File>): Promise<void> {
    for (const file of files) {
      const imported = await this.cast.read(file);
      if (imported) this.sheet = { kind: "imported", imported };
    }
  }

  #threadOf(id: string): Thread {
    const announce = (text: string) => (this.spoken = text);
    return new Thread(id, this.client, this.toasts, announce, () => this.chats.drop(id), (message) => this.chats.said(message));
  }

  #load(): void {
    void this.chats.load();
    void this.cast.load().then(() => this.myName.load());
    void this.models.load();
    void this.activity.load();
    void this.review.load();
  }

  #hear(event: LiveEvent): void {
    if (isOfChat(event)) {
      this.chats.hear(event);
      this.thread?.hear(event);
      if (event.type === "conversation.deleted") this.#lookFor(event.conversation_id);
    } else if (isOfJob(event)) {
      this.activity.hear(event);
      // A session that was read leaves proposals, of which no other event tells.
      if (event.type === "job.finished" && event.kind === "digest") void this.review.load();
    } else {
      this.learnt.hear(event);
      this.myName.hear(event);
      this.review.hear(event);
    }
    for (const listener of this.#listeners) listener(event);
    // A model may have failed at it, or works again.
    const troubled = (this.models.known?.troubles.length ?? 0) > 0;
    if (event.type === "conversation.title" || (troubled && event.type === "job.finished")) void this.models.load();
  }

  /** A server that restarts at once is no reason for a banner. */
  #lost(): void {
    this.#offlineSoon ??= setTimeout(() => (this.offline = true), OFFLINE_AFTER_MS);
  }

  #online(): void {
    clearTimeout(this.#offlineSoon);
    this.#offlineSoon = undefined;
    this.offline = false;
  }

  /** The server answers again: everything that was missed is read now. */
  #reload(): void {
    this.#online();
    this.toasts.withdraw(UNREACHABLE);
    this.epoch += 1;
    this.#load();
    void this.thread?.lookAgain();
  }

  #lookAgain(): void {
    this.returns += 1;
    void this.chats.load();
    void this.cast.load();
    void this.models.load();
    void this.review.load();
    void this.thread?.lookAgain();
  }

  /** Of the open conversation something is missing, or all of it: its log tells which. */
  #lookFor(id: string): void {
    if (this.thread?.id === id) void this.thread.open();
  }
}

const CARD_MARKS = /"(spec|first_mes|char_name)"\s*:/;
const MOST_CARD_BYTES = 20_000_000;

async function isCard(file: File): Promise<boolean> {
  if (/\.(png|charx)$/i.test(file.name)) return true;
  return /\.json$/i.test(file.name) && file.size < MOST_CARD_BYTES && CARD_MARKS.test(await file.text());
}
