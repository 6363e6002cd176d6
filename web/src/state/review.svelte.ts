/**
 * What waits for a decision: memories that are doubted or contradict others, and what campaigns propose.
 *
 * A decision about a memory is sent when nobody took it back, for a memory does not wait twice; until then it waits on the
 * server, and a page that is closed too early loses nothing but the decision. Campaigns can take theirs back themselves.
 */
import type { Client } from "../api/client";
import { Problem } from "../api/problem";
import type { Campaign, Conflict, Memory, MemoryEvent, Proposal, Ruling } from "../api/types";
import { patched } from "../memories/patching";
import { shortened } from "../text/shorten";
import type { Toasts } from "./toasts.svelte";

export type Case =
  | { kind: "memory"; id: string; memory: Memory }
  | { kind: "proposal"; id: string; proposal: Proposal; campaign: Campaign }
  | { kind: "conflict"; id: string; conflict: Conflict; campaign: Campaign };

export type Verdict = "approve" | "reject";

const DONE = { approve: "Approved", reject: "Rejected" };

export class Review {
  #memories = $state.raw<Memory[]>([]);
  #ofCampaigns = $state.raw<Case[]>([]);
  /** Decided, and not sent yet. */
  #held = $state.raw(new Set<string>());
  loaded = $state(false);
  failure = $state.raw<Problem | null>(null);

  readonly cases = $derived<Case[]>(
    [...this.#memories.map((memory) => ({ kind: "memory" as const, id: memory.id, memory })), ...this.#ofCampaigns].filter(
      ({ id }) => !this.#held.has(id),
    ),
  );

  constructor(
    readonly client: Client,
    readonly toasts: Toasts,
  ) {}

  async load(): Promise<void> {
    try {
      const [waiting, campaigns] = await Promise.all([this.#waiting(), this.client.campaigns()]);
      const cases = await Promise.all(campaigns.map((campaign) => this.#casesOf(campaign)));
      this.#ofCampaigns = cases.flat();
      // What contradicts a canon is ruled on there.
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

  /** All of them the same way; what was decided before is settled. */
  decide(cases: Case[], verdict: Verdict): void {
    const ids = cases.map(({ id }) => id);
    this.#held = new Set([...this.#held, ...ids]);
    const what = cases.length === 1 ? shortened(nameOf(cases[0]!)) : `${cases.length} at once`;
    this.toasts.undoable(
      `${DONE[verdict]}: ${what}`,
      () => this.#release(ids),
      () => this.#settle(cases, verdict),
    );
  }

  async rule(conflict: Conflict, ruling: Ruling): Promise<void> {
    const ruled = await this.toasts.trying(() => this.client.rule(conflict.id, ruling));
    if (!ruled) return;
    const kept = this.#ofCampaigns;
    this.#ofCampaigns = kept.filter(({ id }) => id !== conflict.id);
    this.toasts.undoable(`Ruled: ${shortened(ruled.content)}`, async () => {
      if (await this.toasts.trying(() => this.client.undoProposal(conflict.id))) this.#ofCampaigns = kept;
    });
  }

  /** Approved in other words. */
  async approveAs(id: string, content: string): Promise<boolean> {
    const changed = await this.toasts.trying(() => this.client.changeMemory(id, { content }));
    if (!changed) return false;
    this.#memories = this.#memories.map((each) => (each.id === id ? changed : each));
    this.decide([{ kind: "memory", id, memory: changed }], "approve");
    return true;
  }

  async #settle(cases: Case[], verdict: Verdict): Promise<void> {
    for (const each of cases) await this.toasts.trying(() => this.#send(each, verdict));
    const ids = new Set(cases.map(({ id }) => id));
    this.#memories = this.#memories.filter(({ id }) => !ids.has(id));
    this.#ofCampaigns = this.#ofCampaigns.filter(({ id }) => !ids.has(id));
    this.#release([...ids]);
    // What failed still waits.
    await this.load();
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

  /** Of a game that somebody else runs, nothing is one's to decide. */
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

export function nameOf(decided: Case): string {
  if (decided.kind === "memory") return decided.memory.content;
  return decided.kind === "proposal" ? decided.proposal.title : decided.conflict.new.text;
}
