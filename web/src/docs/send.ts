// Asks the server whatever the page was told to ask. The typed client is for pages that know what they want.

import type { Document } from "./description";

export interface Answer {
  status: string;
  text: string;
}

const MOST_SHOWN = 20_000;

export async function readDescription(): Promise<Document> {
  const answer = await fetch("/openapi.json");
  return (await answer.json()) as Document;
}

export async function send(method: string, address: string, body: string | File | null): Promise<Answer> {
  const type = body instanceof File ? "application/octet-stream" : "application/json";
  try {
    const answer = await fetch(address, { method, body, headers: body ? { "Content-Type": type } : {} });
    return { status: `${answer.status} ${answer.statusText}`, text: await shown(answer) };
  } catch {
    return { status: "No answer", text: "Couldn’t reach the server. Check that Everlore is running." };
  }
}

async function shown(answer: Response): Promise<string> {
  const type = answer.headers.get("content-type") ?? "";
  if (/^(image|audio|video)\/|zip|octet-stream/.test(type)) return `(${type})`;
  const text = await answer.text();
  const pretty = type.includes("json") && !type.includes("jsonl") ? prettied(text) : text;
  return pretty.length > MOST_SHOWN ? `${pretty.slice(0, MOST_SHOWN)}\n…` : pretty;
}

function prettied(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
