/** Records as the server sends them, with only what a test cares about spelled out. */
import type { Conversation, Message } from "../src/api/types";

const AT = "2026-03-01T12:00:00Z";

export function message(fields: Partial<Message> = {}): Message {
  return {
    id: "m1",
    conversation_id: "k1",
    seq: 1,
    author: "assistant",
    person_id: "c1",
    name: "Nova",
    content: "",
    display_content: fields.content ?? "",
    has_thoughts: false,
    has_metrics: false,
    has_keyframe: false,
    has_media: false,
    thoughts: "",
    media: [],
    state: "complete",
    error: "",
    alternatives: [],
    chosen: 0,
    present: [],
    model: "",
    built_in: false,
    notice: "",
    unresolved: [],
    reply_tokens: null,
    finish: "",
    hidden: false,
    created_at: AT,
    updated_at: AT,
    ...fields,
  };
}

export function conversation(fields: Partial<Conversation> = {}): Conversation {
  return {
    id: "k1",
    inner_of_id: null,
    title: "",
    icon: "",
    state: "open",
    system_ids: ["c1"],
    user_id: "u1",
    branched_from_id: null,
    branched_at_id: null,
    private: false,
    config: {},
    episode: 0,
    present: [],
    message_count: 1,
    created_at: AT,
    updated_at: AT,
    closed_at: null,
    model: { provider: "voice", model: "", base_url: "", has_key: false, origin: "built-in", built_in: true },
    characters: [{ id: "c1", name: "Nova", avatar_url: null }],
    last_message: null,
    writing: false,
    ...fields,
  };
}
