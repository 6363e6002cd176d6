/** `${memory.<id>}`: a memory that is told with a message (R10). The field shows them as chips beside the words. */

/** A memory that is told with the message being written, and what it says. */
export interface Told {
  id: string;
  text: string;
}

const TOKEN = /^\$\{memory\.([^\s${}]+)\}$/;

export const tokenOf = (id: string): string => `\${memory.${id}}`;

/** The message as it is sent: the words, and then what is told with them. */
export function composed(words: string, told: Told[]): string {
  return [words.trim(), ...told.map(({ id }) => tokenOf(id))].filter(Boolean).join(" ");
}

/** The id in a token that the server gave. */
export function idIn(token: string): string | null {
  return TOKEN.exec(token)?.[1] ?? null;
}
