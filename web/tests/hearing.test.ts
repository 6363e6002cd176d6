import { beforeEach, describe, expect, it } from "vitest";
import type { ChatEvent } from "../src/api/types";
import { afterMessage, Echoes, heard, nextStep, refreshed, write } from "../src/state/hearing";
import { conversation, message } from "./builders";

const delta: ChatEvent = { type: "message.delta", conversation_id: "k2", message_id: "m9", text: "a" };
const done: ChatEvent = {
  type: "message.done",
  conversation_id: "k2",
  message_id: "m9",
  message: message({ id: "m9", conversation_id: "k2", content: "All of it." }),
};

describe("the list of conversations", () => {
  const list = [conversation({ id: "k1" }), conversation({ id: "k2" })];

  it("takes over a title and an icon, in its place", () => {
    const titled = heard(list, { type: "conversation.title", conversation_id: "k2", title: "Storm" });
    const both = heard(titled ?? [], { type: "conversation.icon", conversation_id: "k2", icon: "sailing" });

    expect(both?.map(({ id, title, icon }) => [id, title, icon])).toEqual([
      ["k1", "", ""],
      ["k2", "Storm", "sailing"],
    ]);
  });

  it("follows a chat that is pinned, closed or deleted elsewhere", () => {
    const pinned = heard(list, { type: "conversation.pinned", conversation_id: "k2", pinned: true }) ?? [];
    const closed = heard(pinned, { type: "conversation.state", conversation_id: "k2", state: "closed" }) ?? [];
    const gone = heard(closed, { type: "conversation.deleted", conversation_id: "k1" });

    expect(gone?.map(({ id, pinned, state }) => [id, pinned, state])).toEqual([["k2", true, "closed"]]);
  });

  it("shows where a reply is being written, and does not change with each piece of it", () => {
    const writing = heard(list, delta);

    expect(writing?.[1]?.writing).toBe(true);
    expect(heard(writing ?? [], delta)).toBe(writing);
  });

  it("has the conversation with the newest reply first", () => {
    const after = heard(heard(list, delta) ?? [], done);

    expect(after?.map(({ id, writing }) => [id, writing])).toEqual([
      ["k2", false],
      ["k1", false],
    ]);
    expect(after?.[0]?.last_message?.display_content).toBe("All of it.");
  });

  it("shows the time of the newest message, sent or received", () => {
    const sent = afterMessage(list, message({ conversation_id: "k2", updated_at: "2026-03-05T10:00:00Z" }));
    const answered = heard(sent, { ...done, message: { ...done.message, updated_at: "2026-03-05T10:00:09Z" } });

    expect(sent.map(({ id }) => id)).toEqual(["k2", "k1"]);
    expect(sent[0]?.updated_at).toBe("2026-03-05T10:00:00Z");
    expect(answered?.[0]?.updated_at).toBe("2026-03-05T10:00:09Z");
    expect(afterMessage(list, message({ conversation_id: "k9" }))).toBe(list);
  });

  it("says that it does not know a conversation", () => {
    expect(heard([conversation({ id: "k1" })], done)).toBeNull();
  });

  it("leaves what it was given as it was", () => {
    const before = structuredClone(list);

    heard(list, delta);
    heard(list, done);

    expect(list).toEqual(before);
  });
});

describe("the open conversation", () => {
  const title: ChatEvent = { type: "conversation.title", conversation_id: "k2", title: "x" };
  let echoes: Echoes;
  const steps = (...events: ChatEvent[]) => events.map((event) => nextStep("k2", echoes, event));
  beforeEach(() => (echoes = new Echoes()));

  it("reads along with a reply begun elsewhere, and looks again when one was finished there", () => {
    expect(steps(delta, done)).toEqual(["follow", "refresh"]);
  });

  it("does not care for others, nor for titles", () => {
    expect(nextStep("k1", echoes, delta)).toBe("nothing");
    expect(steps(title)).toEqual(["nothing"]);
  });

  it("does not hear twice what it is reading, when the socket is ahead", () => {
    echoes.begin();
    expect(steps(delta, delta, done)).toEqual(["nothing", "nothing", "nothing"]);
    echoes.end("m9");

    expect(steps(delta, done)).toEqual(["follow", "refresh"]);
  });

  it("does not hear twice what it has read, when the socket is late", () => {
    echoes.begin();
    expect(steps(delta)).toEqual(["nothing"]);
    echoes.end("m9");
    expect(steps(delta, done)).toEqual(["nothing", "nothing"]);

    expect(steps(delta, done)).toEqual(["follow", "refresh"]);
  });

  it("listens again after its own reading was cut off", () => {
    echoes.begin();
    echoes.end(undefined);

    expect(steps(delta, done)).toEqual(["follow", "refresh"]);
  });
});

describe("a reply", () => {
  const begun = message({ id: "m2", seq: 2, state: "streaming" });

  it("begins with what was said, grows, and ends as the server kept it", () => {
    const log = [message({ id: "m0", content: "Hello." })];

    write(log, {
      type: "turn",
      user_message: message({ id: "m1", author: "user", content: "Hi." }),
      reply: { ...begun },
    });
    write(log, { type: "delta", text: "Good " });
    write(log, { type: "delta", text: "day." });
    expect(log.map(({ display_content }) => display_content)).toEqual(["Hello.", "Hi.", "Good day."]);

    write(log, { type: "done", reply: message({ id: "m2", content: "Good day!", thoughts: "Polite." }) });
    expect(log.map(({ id }) => id)).toEqual(["m0", "m1", "m2"]);
    expect(log[2]).toMatchObject({ display_content: "Good day!", thoughts: "Polite.", state: "complete" });
  });

  it("that is written anew takes the place of the old words", () => {
    const log = [message({ id: "m2", content: "Old words." })];

    write(log, { type: "turn", user_message: null, reply: { ...begun } });
    write(log, { type: "delta", text: "New" });

    expect(log.map(({ display_content }) => display_content)).toEqual(["New"]);
  });

  it("that goes on keeps its words", () => {
    const log = [message({ id: "m2", content: "Once" })];

    write(log, { type: "turn", user_message: null, reply: { ...begun, display_content: "Once" } });
    write(log, { type: "delta", text: " upon" });

    expect(log[0]?.display_content).toBe("Once upon");
  });
});

describe("a log that is read again", () => {
  it("keeps what is older, and loses what is gone", () => {
    const shown = [1, 2, 3, 4].map((seq) => message({ id: `m${seq}`, seq }));
    const newest = [3, 5].map((seq) => message({ id: `m${seq}`, seq, content: "new" }));

    const log = refreshed(shown, newest);

    expect(log.map(({ id, content }) => [id, content])).toEqual([
      ["m1", ""],
      ["m2", ""],
      ["m3", "new"],
      ["m5", "new"],
    ]);
  });

  it("is empty when everything was deleted", () => {
    expect(refreshed([message()], [])).toEqual([]);
  });
});
