import { describe, expect, it } from "vitest";
import { Parser, serverSentEvents, type ServerSentEvent } from "../src/api/sse";

function parsed(...pieces: string[]): ServerSentEvent[] {
  const parser = new Parser();
  return pieces.flatMap((piece) => [...parser.feed(piece)]);
}

function bodyOf(...chunks: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

async function all(body: ReadableStream<Uint8Array>): Promise<ServerSentEvent[]> {
  const events = [];
  for await (const event of serverSentEvents(body)) events.push(event);
  return events;
}

const TURN = 'event: turn\ndata: {"reply":1}\n\nevent: delta\ndata: {"text":"a"}\n\n';

describe("server-sent events", () => {
  it("come one after the other, with their names", () => {
    expect(parsed(TURN)).toEqual([
      { event: "turn", data: '{"reply":1}' },
      { event: "delta", data: '{"text":"a"}' },
    ]);
  });

  it("are the same wherever the text was cut", () => {
    for (const text of [TURN, TURN.replaceAll("\n", "\r\n"), TURN.replaceAll("\n", "\r") + "\n"]) {
      for (let at = 0; at <= text.length; at++) {
        expect(parsed(text.slice(0, at), text.slice(at))).toEqual(parsed(TURN));
      }
      expect(parsed(...text)).toEqual(parsed(TURN));
    }
  });

  it("are called message without a name, and their lines are joined", () => {
    expect(parsed("data: one\ndata: two\ndata\n\n")).toEqual([{ event: "message", data: "one\ntwo\n" }]);
  });

  it("lose one space after the colon, and only one", () => {
    expect(parsed("data:a\n\ndata:  b\n\ndata: c: d\n\n").map(({ data }) => data)).toEqual(["a", " b", "c: d"]);
  });

  it("are not made of comments, unknown fields or names alone", () => {
    expect(parsed(": still here\n\nid: 7\nretry: 9\n\nevent: nothing\n\ndata: x\n\n")).toEqual([
      { event: "message", data: "x" },
    ]);
  });

  it("that were cut off at the end were never said", () => {
    expect(parsed("data: whole\n\ndata: half\n")).toEqual([{ event: "message", data: "whole" }]);
  });

  it("keep signs whose bytes arrive in different chunks", async () => {
    const bytes = new TextEncoder().encode("data: Zoë 🐉\n\n");
    const chunks = [...bytes].map((byte) => Uint8Array.of(byte));

    expect(await all(bodyOf(...chunks))).toEqual([{ event: "message", data: "Zoë 🐉" }]);
  });

  it("let go of the answer when nobody reads on", async () => {
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode("data: x\n\n")),
      cancel: () => void (cancelled = true),
    });

    for await (const event of serverSentEvents(body)) {
      expect(event.data).toBe("x");
      break;
    }

    expect(cancelled).toBe(true);
  });
});
