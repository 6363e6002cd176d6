/** Names for the ids in memories and messages. The user is “You”. */
import type { Character } from "../api/types";
import type { Cast } from "./cast.svelte";
import { NO_NAME, type MyName } from "./my-name.svelte";

/** The owner of this Everlore. */
export const USER_ID = "user";

export class People {
  constructor(
    readonly cast: Cast,
    readonly myName: MyName,
  ) {}

  get list(): Character[] {
    return this.cast.everybody;
  }

  find(id: string): Character | undefined {
    return this.cast.find(id);
  }

  /** The name in lists of people. A reader who set none goes by the name that was learned, or “You”. */
  labelOf({ id, name }: Pick<Character, "id" | "name">): string {
    return id === this.cast.me?.id && name === NO_NAME ? this.myName.current || "You" : name;
  }

  /** `labelOf` for an id. */
  callOf(id: string | null): string {
    const person = this.cast.find(id);
    return person ? this.labelOf(person) : this.cast.nameOf(id);
  }

  nameOf(id: string): string {
    return id === USER_ID ? "You" : this.cast.nameOf(id);
  }

  /** As in “You and Mira”: the user first. */
  namesOf(ids: readonly string[]): string {
    const mine = ids.filter((id) => id === USER_ID);
    return [...mine, ...ids.filter((id) => id !== USER_ID)].map((id) => this.nameOf(id)).join(" and ");
  }
}
