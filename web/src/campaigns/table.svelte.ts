/**
 * The open campaign as one viewer sees it: chapters, sessions, and the addresses of its parts.
 *
 * Each view has its own table, so that nothing shown to one viewer is kept for another.
 */
import * as api from "../api/campaigns";
import { addressOf } from "../places";
import { Latest } from "../state/latest.svelte";

export type Part = "story" | "read" | "sessions" | "world" | "ties" | "canon" | "review" | "ask" | "lorebooks" | "files";

interface Seat {
  campaign: api.Campaign;
  chapters: api.Chapter[];
  sessions: api.Session[];
}

/** Stands for "any player" in an address, where an empty value would not be seen. */
const ANY = "any";

export function eyesOf(query: URLSearchParams): api.Eyes {
  const named = query.get("as");
  return named === ANY ? "" : named;
}

/** The query of an address that selects this view. */
export function asked(eyes: api.Eyes): Record<string, string> {
  return eyes === null ? {} : { as: eyes || ANY };
}

export class Table {
  readonly seat = new Latest<Seat>();
  readonly waiting = new Latest<api.Proposal[]>();
  readonly campaign = $derived(this.seat.answer?.campaign);
  readonly chapters = $derived(this.seat.answer?.chapters ?? []);
  /** The latest first. */
  readonly sessions = $derived((this.seat.answer?.sessions ?? []).toReversed());
  /** Whether the viewer sees everything and may decide. */
  readonly runs = $derived(this.campaign?.runs ?? false);
  readonly chapter = $derived(this.chapters.findLast(({ closed_at }) => closed_at === null));
  readonly running = $derived(this.sessions.find(({ ended_at }) => ended_at === null));

  constructor(
    readonly id: string,
    readonly eyes: api.Eyes,
  ) {}

  async load(): Promise<void> {
    await this.seat.ask(async () => {
      const [campaign, chapters, sessions] = await Promise.all([
        api.campaign(this.id, this.eyes),
        api.chapters(this.id),
        api.sessions(this.id, this.eyes),
      ]);
      return { campaign, chapters, sessions };
    });
    if (this.runs) await this.lookWhatWaits();
  }

  async lookWhatWaits(): Promise<void> {
    await this.waiting.ask(async () => (await api.proposals(this.id, "pending")).items);
  }

  /** The address of a part of this campaign, or of one thing in it, seen with the same eyes. */
  address(part: Part = "story", item = "", query: Record<string, string> = {}): string {
    const params = { id: this.id, part: part === "story" ? "" : part, item };
    return addressOf("campaigns", params, { ...query, ...asked(this.eyes) });
  }

  /** Where a message was said: in the log of its session. */
  addressOfMessage(messageId: string, sessionId: string | null | undefined): string | null {
    return sessionId ? this.address("sessions", sessionId, { message: messageId }) : null;
  }

  /** The session in which this was said. */
  sessionOf(message: api.LogMessage): api.Session | undefined {
    return this.sessions.find(({ parts }) => parts.some((part) => isIn(part, message)));
  }

  sessionName(id: string | null): string {
    const session = this.sessions.find((each) => each.id === id);
    return session ? nameOf(session) : "";
  }
}

/** A name that has the number already is not given it twice: “The Silent Bell, session 1”. */
export function nameOf({ number, name }: { number: number; name: string }): string {
  const numbered = `Session ${number}`;
  if (name.toLowerCase().includes(numbered.toLowerCase())) return name;
  return name.trim() ? `${numbered}: ${name}` : numbered;
}

function isIn(part: api.Session["parts"][number], { conversation_id, seq }: api.LogMessage): boolean {
  if (part.conversation_id !== conversation_id || seq < part.first_seq) return false;
  return part.last_seq === null || seq <= part.last_seq;
}
