/** Everybody who is known: the characters one can talk with, and whom one can speak as. */
import type { Client } from "../api/client";
import type { Character, CharacterChanges, Imported, NewCharacter } from "../api/types";
import type { Toasts } from "./toasts.svelte";

export class Cast {
  everybody = $state.raw<Character[]>([]);
  /** Those one can talk with. */
  readonly list = $derived(this.everybody.filter(({ kind }) => kind === "character"));
  loaded = $state(false);
  /** Whoever uses this page. */
  me = $state.raw<Character | null>(null);

  constructor(
    readonly client: Client,
    readonly toasts: Toasts,
  ) {}

  async load(): Promise<void> {
    await this.toasts.trying(async () => {
      // First: whoever has never said anything is made by being asked for.
      this.me = (await this.client.me()).user;
      let page = await this.client.characters();
      const all = page.items;
      while (page.next) {
        page = await this.client.characters(page.next);
        all.push(...page.items);
      }
      this.everybody = sorted(all);
      this.loaded = true;
    });
  }

  find(id: string | null | undefined): Character | undefined {
    return this.everybody.find((each) => each.id === id);
  }

  /** One who came after everybody was read; undefined where there is nobody of that id. */
  async lookUp(id: string): Promise<Character | undefined> {
    return this.find(id) ?? this.#put(await this.toasts.trying(() => this.client.character(id)));
  }

  /** Whoever has been deleted has no name any more. */
  nameOf(id: string | null | undefined): string {
    return this.find(id)?.name ?? "somebody";
  }

  async create(character: NewCharacter): Promise<Character | undefined> {
    return this.#put(await this.toasts.trying(() => this.client.createCharacter(character)));
  }

  async change(id: string, patch: CharacterChanges): Promise<Character | undefined> {
    return this.#put(await this.toasts.trying(() => this.client.changeCharacter(id, patch)));
  }

  async read(file: File): Promise<Imported | undefined> {
    const imported = await this.toasts.trying(() => this.client.importCharacter(file));
    this.#put(imported?.character);
    return imported;
  }

  async picture(id: string, file: File): Promise<void> {
    this.#put(await this.toasts.trying(() => this.client.setPicture(id, file)));
  }

  /** Whether it is gone. */
  async remove(id: string): Promise<boolean> {
    const gone = await this.toasts.trying(async () => {
      await this.client.deleteCharacter(id);
      return true;
    });
    if (gone) this.everybody = this.everybody.filter((each) => each.id !== id);
    return gone ?? false;
  }

  #put(character: Character | undefined): Character | undefined {
    if (character) this.everybody = sorted([...this.everybody.filter(({ id }) => id !== character.id), character]);
    return character;
  }
}

function sorted(characters: Character[]): Character[] {
  return characters.toSorted((a, b) => a.name.localeCompare(b.name));
}
