/**
 * What needs review: uncertain or conflicting memories, and suggestions from campaigns.
 *
 * A decision is sent at once, so closing the page loses nothing, and undone on the server.
 */
import type { Client } from "../api/client";
import { Problem } from "../api/problem";
import type { Campaign, Conflict, Memory, MemoryEvent, Proposal, Ruling } from "../api/types";
import { patched } from "../memories/patching";
import { counted } from "../text/numbers";
import { shortened } from "../text/shorten";
import type { Toasts } from "./toasts.svelte";

export type Case =
  | { kind: "memory"; id: string; memory: Memory }
  | { kind: "proposal"; id: string; proposal: Proposal; campaign: Campaign }
  | { kind: "conflict"; id: string; conflict: Conflict; campaign: Campaign };

export type Verdict = "approve" | "reject";

type Decided = Pick<Case, "kind" | "id">;

export interface LastDecision {
  text: string;
  cases: Decided[];
}

const LAST = "everlore.review.last";
const DONE = { approve: "Approved", reject: "Rejected" };

export class Review {
  #memories = $state.raw<Memory[]>([]);
  #ofCampaigns = $state.raw<Case[]>([]);
  /** Decided, response not received yet. */
  #held = $state.raw(new Set<string>());
  loaded = $state(false);
  failure = $state.raw<Problem | null>(null);

  readonly cases = $derived<Case[]>(
    [...this.#memories.map((memory) => ({ kind: "memory" as const, id: memory.id, memory })), ...this.#ofCampaigns].filter(
      ({ id }) => !this.#held.has(id),
    ),
  );

  /** The last decision, which can be undone. */
  last = $state.raw<LastDecision | null>(null);
  #settling: Promise<void> = Promise.resolve();

  constructor(
    readonly client: Client,
    readonly toasts: Toasts,
    readonly storage: Storage,
  ) {
    this.last = lastIn(storage);
  }

  async load(): Promise<void> {
    try {
      const [waiting, campaigns] = await Promise.all([this.#waiting(), this.client.campaigns()]);
      const cases = await Promise.all(campaigns.map((campaign) => this.#casesOf(campaign)));
      this.#ofCampaigns = cases.flat();
      // A conflict with canon is decided as a campaign conflict.
      const ruled = new Set(this.#ofCampaigns.map((each) => each.kind === "conflict" && each.conflict.new.memory_id));
      this.#memories = waiting.filter(({ id }) => !ruled.has(id));
      this.loaded = true;
      this.failure = null;
    } catch (reason) {
      if (!(reason instanceof Problem)) throw reason;
      this.failure = reason;
    }
  }

  hear(event: MemoryEvent): void {
    if (this.loaded) this.#memories = patched(this.#memories, event, ({ status }) => status === "pending").list;
  }

  /** Approves or rejects all of these. */
  decide(cases: Case[], verdict: Verdict): void {
    this.#held = new Set([...this.#held, ...cases.map(({ id }) => id)]);
    const what = cases.length === 1 ? shortened(nameOf(cases[0]!)) : counted(cases.length, "item");
    const text = `${DONE[verdict]}: ${what}`;
    this.#remember({ text, cases: cases.map(({ kind, id }) => ({ kind, id })) });
    this.#settling = this.#settle(cases, verdict).then((sent) => {
      if (!sent.length && this.last?.text === text) this.#remember(null);
    });
    this.toasts.undoable(text, () => this.undoLast());
  }

  async rule(conflict: Conflict, ruling: Ruling): Promise<void> {
    const ruled = await this.toasts.trying(() => this.client.rule(conflict.id, ruling));
    if (!ruled) return;
    const kept = this.#ofCampaigns;
    this.#ofCampaigns = kept.filter(({ id }) => id !== conflict.id);
    this.toasts.undoable(`Conflict resolved: ${shortened(ruled.content)}`, async () => {
      if (await this.toasts.trying(() => this.client.undoProposal(conflict.id))) this.#ofCampaigns = kept;
    });
  }

  /** Edits a memory and approves it. */
  async approveAs(id: string, content: string): Promise<boolean> {
    const changed = await this.toasts.trying(() => this.client.changeMemory(id, { content }));
    if (!changed) return false;
    this.#memories = this.#memories.map((each) => (each.id === id ? changed : each));
    this.decide([{ kind: "memory", id, memory: changed }], "approve");
    return true;
  }

  /** Sends all decisions together, because the page may be closed at any moment. Returns the accepted ones. */
  async #settle(cases: Case[], verdict: Verdict): Promise<Case[]> {
    const answers = await Promise.all(cases.map((each) => this.toasts.trying(() => this.#send(each, verdict))));
    const ids = new Set(cases.map(({ id }) => id));
    this.#memories = this.#memories.filter(({ id }) => !ids.has(id));
    this.#ofCampaigns = this.#ofCampaigns.filter(({ id }) => !ids.has(id));
    this.#release([...ids]);
    const sent = cases.filter((_, index) => answers[index] !== undefined);
    // Failed ones still wait, and one suggestion may settle another.
    if (sent.length < cases.length || cases.some(({ kind }) => kind !== "memory")) await this.load();
    return sent;
  }

  /** Undoes the last decision, also one made in another tab of this browser. */
  async undoLast(): Promise<void> {
    const last = this.last;
    if (!last) return;
    this.#remember(null);
    await this.#settling;
    const undo = ({ kind, id }: Decided): Promise<unknown> =>
      kind === "memory" ? this.client.undoMemory(id) : this.client.undoProposal(id);
    for (const each of last.cases) await this.toasts.trying(() => undo(each));
    await this.load();
  }

  #remember(last: LastDecision | null): void {
    this.last = last;
    if (last) this.storage.setItem(LAST, JSON.stringify(last));
    else this.storage.removeItem(LAST);
  }

  async #send(decided: Case, verdict: Verdict): Promise<unknown> {
    const { id } = decided;
    if (decided.kind === "memory") return verdict === "approve" ? this.client.approve(id) : this.client.reject(id);
    if (decided.kind === "proposal" && verdict === "approve") return this.client.approveProposal(id, {});
    return this.client.rejectProposal(id);
  }

  #release(ids: string[]): void {
    this.#held = new Set([...this.#held].filter((id) => !ids.includes(id)));
  }

  async #waiting(): Promise<Memory[]> {
    let page = await this.client.memories({ status: ["pending"] });
    const all = [...page.items];
    while (page.next) {
      page = await this.client.memories({ status: ["pending"] }, page.next);
      all.push(...page.items);
    }
    return all;
  }

  /** Only the game master decides: for other members there is nothing to review. */
  async #casesOf(campaign: Campaign): Promise<Case[]> {
    try {
      const [proposals, conflicts] = await Promise.all([
        this.client.proposals(campaign.id),
        this.client.conflicts(campaign.id),
      ]);
      const plain = proposals.filter(({ kind }) => kind !== "conflict");
      return [
        ...conflicts.map((conflict) => ({ kind: "conflict" as const, id: conflict.id, conflict, campaign })),
        ...plain.map((proposal) => ({ kind: "proposal" as const, id: proposal.id, proposal, campaign })),
      ];
    } catch (reason) {
      if (reason instanceof Problem && reason.status === 403) return [];
      throw reason;
    }
  }
}

function lastIn(storage: Storage): LastDecision | null {
  const kept = storage.getItem(LAST);
  return kept ? (JSON.parse(kept) as LastDecision) : null;
}

export function nameOf(decided: Case): string {
  if (decided.kind === "memory") return decided.memory.shown;
  return decided.kind === "proposal" ? decided.proposal.title : decided.conflict.new.text;
}
