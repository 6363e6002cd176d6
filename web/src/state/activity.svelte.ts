/** Background work that runs right now, as reported by the live socket. */
import type { Client } from "../api/client";
import { Problem } from "../api/problem";
import type { JobEvent } from "../api/types";

/** Labels for the kinds of work that matter to someone in a chat. */
export const DOING: Record<string, string> = {
  facts: "Learning from your message",
  think: "Learning from your message",
  keyframe: "Saving memories",
  analysis: "Analyzing the chat",
  closing: "Closing the chat",
  summary: "Summarizing",
};

interface Running {
  id: string;
  kind: string;
  conversationId: string | null;
}

export class Activity {
  running = $state.raw<Running[]>([]);

  constructor(readonly client: Client) {}

  /** Loads work that started before the page. Users without access to the queue only see live events. */
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

  /** Whether a title is being generated for this chat. */
  isTitling(conversationId: string): boolean {
    return this.running.some((each) => each.kind === "title" && each.conversationId === conversationId);
  }

  /** Labels of the work that runs for a chat, without repeats. */
  doingFor(conversationId: string): string[] {
    const kinds = this.running.filter((each) => each.conversationId === conversationId).map(({ kind }) => kind);
    return [...new Set(kinds.flatMap((kind) => DOING[kind] ?? []))];
  }
}
