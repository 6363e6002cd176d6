/** What went wrong, in the server's own sentence (RFC 9457), which is what people are shown. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    detail: string,
  ) {
    super(detail);
    this.name = "Problem";
  }
}

/** The status of a server that asks for a token. */
export const LOCKED = 401;

export const UNREACHABLE = "The server does not answer. Check that Everlore is running, then try again.";

/** Field errors are added to the sentence: it only says that there are some. */
export function problemOf(status: number, body: unknown): Problem {
  const { detail, errors } = isDocument(body) ? body : {};
  const fields = (errors ?? []).map(({ field, message }) => `${field}: ${message}`).join("; ");
  const sentence = detail ?? `The server answered with status ${status} and no explanation.`;
  return new Problem(status, fields ? `${sentence} (${fields})` : sentence);
}

export function unreachable(): Problem {
  return new Problem(0, UNREACHABLE);
}

interface ProblemDocument {
  detail?: string;
  errors?: { field: string; message: string }[];
}

function isDocument(body: unknown): body is ProblemDocument {
  return typeof body === "object" && body !== null && "detail" in body;
}
