/**
 * Reads server-sent events from the body of an answer.
 *
 * EventSource cannot send a POST, so the format is parsed here: fields are lines, an empty line ends an event,
 * lines end with LF, CRLF or CR, and what is cut off at the end was never said.
 */
export interface ServerSentEvent {
  event: string;
  data: string;
}

export async function* serverSentEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const parser = new Parser();
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* parser.feed(value);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Takes the text in pieces, however it was cut, and gives each event as soon as it is complete. */
export class Parser {
  #rest = "";
  #event = "";
  #data: string[] = [];

  *feed(piece: string): Generator<ServerSentEvent> {
    this.#rest += piece;
    for (;;) {
      const end = /\r\n|\n|\r(?!$)/.exec(this.#rest);
      // A CR at the very end waits: an LF that belongs to it may still come.
      if (!end) return;
      const line = this.#rest.slice(0, end.index);
      this.#rest = this.#rest.slice(end.index + end[0].length);
      const event = this.#take(line);
      if (event) yield event;
    }
  }

  #take(line: string): ServerSentEvent | undefined {
    if (line === "") return this.#end();
    const [, field, value] = /^([^:]*)(?::[ ]?(.*))?$/su.exec(line) ?? [];
    if (field === "event") this.#event = value ?? "";
    if (field === "data") this.#data.push(value ?? "");
    return undefined;
  }

  #end(): ServerSentEvent | undefined {
    const said = this.#data.length ? { event: this.#event || "message", data: this.#data.join("\n") } : undefined;
    this.#event = "";
    this.#data = [];
    return said;
  }
}
