/** What is learnt in the background at this moment, as the live socket tells it. */
import type { Client } from "../api/client";
import { Problem } from "../api/problem";
import type { JobEvent } from "../api/types";

/** What each kind of work does, for those kinds that somebody in a conversation cares about. */
export const DOING: Record<string, string> = {
  facts: "Reading what you said",
  think: "Reading what you said",
  keyframe: "Forming memories",
  analysis: "Analysing the conversation",
  closing: "Putting the conversation away",
  summary: "Summing up",
};

interface Running {
  id: string;
  kind: string;
  conversationId: string | null;
}

export class Activity {
  running = $state.raw<Running[]>([]);

  constructor(readonly client: Client) {}

  /** What began before this page was here. Whoever may not look into the queue sees what the socket tells. */
  async load(): Promise<void> {
    try {
      const jobs = await this.client.runningJobs();
      this.running = jobs.map(({ id, kind, conversation_id }) => ({ id, kind, conversationId: conversation_id }));
    } catch (reason) {
      if (!(reason instanceof Problem)) throw reason;
    }
  }

  hear(event: JobEvent): void {
    const others = this.running.filter(({ id }) => id !== event.job_id);
    const begun = { id: event.job_id, kind: event.kind, conversationId: event.conversation_id };
    this.running = event.type === "job.started" ? [...others, begun] : others;
  }

  /** Whether a conversation is being given its title. */
  isTitling(conversationId: string): boolean {
    return this.running.some((each) => each.kind === "title" && each.conversationId === conversationId);
  }

  /** What is being done for a conversation, in words; each once. */
  doingFor(conversationId: string): string[] {
    const kinds = this.running.filter((each) => each.conversationId === conversationId).map(({ kind }) => kind);
    return [...new Set(kinds.flatMap((kind) => DOING[kind] ?? []))];
  }
}
