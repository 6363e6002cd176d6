/**
 * What an event of the live socket means for what is on the page. Nothing here asks or shows.
 *
 * Start at `heard` (the list of conversations) and `nextStep` (the open conversation).
 */
import type { Conversation, ChatEvent, TurnEvent, Message } from "../api/types";

const SHORT = 160;

/** The list after an event: the newest activity first, and null if the conversation is not in it. */
export function heard(list: Conversation[], event: ChatEvent): Conversation[] | null {
  const known = list.find(({ id }) => id === event.conversation_id);
  if (!known) return null;
  if (event.type === "conversation.deleted") return list.filter((each) => each !== known);
  const changed = after(known, event);
  if (event.type === "message.done") return afterMessage(list, event.message, changed);
  return changed === known ? list : list.map((each) => (each === known ? changed : each));
}

/** The list after something was said: its chat comes first, with the time of the message. */
export function afterMessage(list: Conversation[], message: Message, known?: Conversation): Conversation[] {
  const { conversation_id: id, updated_at } = message;
  const chat = known ?? list.find((each) => each.id === id);
  return chat ? [{ ...chat, updated_at }, ...list.filter((each) => each.id !== id)] : list;
}

function after(known: Conversation, event: ChatEvent): Conversation {
  switch (event.type) {
    case "conversation.title":
      return { ...known, title: event.title };
    case "conversation.icon":
      return { ...known, icon: event.icon };
    case "conversation.state":
      return { ...known, state: event.state };
    case "conversation.pinned":
      return { ...known, pinned: event.pinned };
    case "message.delta":
      return known.writing ? known : { ...known, writing: true };
    case "message.done":
      return { ...known, writing: false, last_message: shortened(event.message) };
    default:
      return known;
  }
}

function shortened(message: Message): Conversation["last_message"] {
  return { display_content: message.display_content.slice(0, SHORT), at: message.updated_at };
}

/** What the open conversation should do: nothing, read along with a reply begun elsewhere, or look at the log again. */
export function nextStep(id: string, echoes: Echoes, event: ChatEvent): "nothing" | "follow" | "refresh" {
  if (event.conversation_id !== id || !("message_id" in event) || echoes.isEcho(event)) return "nothing";
  return event.type === "message.delta" ? "follow" : "refresh";
}

/**
 * The socket tells everybody, and so also repeats what this page reads by itself, a little before or after it.
 *
 * For each reply the ends that were read are weighed against those that were heard: as long as one is still to be
 * heard, whatever the socket says of that reply is known already.
 */
export class Echoes {
  #reading = false;
  #unheard = new Map<string, number>();

  begin(): void {
    this.#reading = true;
    this.#unheard.clear();
  }

  /** `done`: the reply that was read to its end, if it was. */
  end(done: string | undefined): void {
    this.#reading = false;
    if (done) this.#count(done, 1);
  }

  isEcho(event: { type: string; message_id: string }): boolean {
    const echo = this.#reading || (this.#unheard.get(event.message_id) ?? 0) > 0;
    if (echo && event.type === "message.done") this.#count(event.message_id, -1);
    return echo;
  }

  #count(id: string, by: 1 | -1): void {
    this.#unheard.set(id, (this.#unheard.get(id) ?? 0) + by);
  }
}

/** Puts what a reply says into the messages on the page. */
export function write(messages: Message[], event: TurnEvent): void {
  if (event.type === "turn") {
    if (event.user_message) put(messages, event.user_message);
    put(messages, event.reply);
  } else if (event.type === "done") {
    put(messages, event.reply);
  } else {
    const reply = messages.findLast(({ state }) => state === "streaming");
    if (reply) reply.display_content += event.text;
  }
}

function put(messages: Message[], message: Message): void {
  const at = messages.findIndex(({ id }) => id === message.id);
  if (at < 0) messages.push(message);
  else messages[at] = message;
}

/** The log on the page after its newest part was read again; what is older than that part stays. */
export function refreshed(shown: Message[], newest: Message[]): Message[] {
  const first = newest[0];
  return first ? [...shown.filter(({ seq }) => seq < first.seq), ...newest] : [];
}

/** The log on the page while a reply is read, with what the server has besides. */
export function joined(shown: Message[], newest: Message[]): Message[] {
  const others = newest.filter(({ id }) => !shown.some((each) => each.id === id));
  return [...others, ...shown].toSorted((one, other) => one.seq - other.seq);
}
