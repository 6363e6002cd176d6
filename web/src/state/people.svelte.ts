/** What everybody is called where memories and messages name them by their ids: oneself is “You”. */
import type { Character } from "../api/types";
import type { Cast } from "./cast.svelte";

/** The one who runs this Everlore. */
export const USER_ID = "user";

export class People {
  constructor(readonly cast: Cast) {}

  get list(): Character[] {
    return this.cast.everybody;
  }

  find(id: string): Character | undefined {
    return this.cast.find(id);
  }

  nameOf(id: string): string {
    return id === USER_ID ? "You" : this.cast.nameOf(id);
  }

  /** As in “You and Mira”: oneself first. */
  namesOf(ids: readonly string[]): string {
    const mine = ids.filter((id) => id === USER_ID);
    return [...mine, ...ids.filter((id) => id !== USER_ID)].map((id) => this.nameOf(id)).join(" and ");
  }
}
