/** All people: the characters to chat with, and the users and personas to chat as. */
import type { Client } from "../api/client";
import type { Character, CharacterChanges, Imported, ImportedPersonas, NewCharacter } from "../api/types";
import type { Toasts } from "./toasts.svelte";

export class Cast {
  everybody = $state.raw<Character[]>([]);
  /** The characters to chat with. */
  readonly list = $derived(this.everybody.filter(({ kind }) => kind === "character"));
  loaded = $state(false);
  /** The user of this page. */
  me = $state.raw<Character | null>(null);

  constructor(
    readonly client: Client,
    readonly toasts: Toasts,
  ) {}

  async load(): Promise<void> {
    await this.toasts.trying(async () => {
      // First: asking for the user creates one that has never said anything.
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

  /** Fetches a person created after the list was loaded; undefined if there is none with this id. */
  async lookUp(id: string): Promise<Character | undefined> {
    return this.find(id) ?? this.#put(await this.toasts.trying(() => this.client.character(id)));
  }

  /** Deleted people have no name any more. */
  nameOf(id: string | null | undefined): string {
    return this.find(id)?.name ?? "Someone";
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

  async importPersonas(file: File): Promise<ImportedPersonas | undefined> {
    const imported = await this.toasts.trying(() => this.client.importPersonas(file));
    for (const persona of imported?.items ?? []) this.#put(persona);
    return imported;
  }

  async picture(id: string, file: File): Promise<void> {
    this.#put(await this.toasts.trying(() => this.client.setPicture(id, file)));
  }

  /** Returns whether the person was deleted. */
  async remove(id: string): Promise<boolean> {
    const gone = await this.toasts.trying(async () => {
      await this.client.deleteCharacter(id);
      return true;
    });
    if (gone) this.everybody = this.everybody.filter((each) => each.id !== id);
    return gone ?? false;
  }

  #put(character: Character | undefined): Character | undefined {
    if (character && character.id === this.me?.id) this.me = character;
    if (character) this.everybody = sorted([...this.everybody.filter(({ id }) => id !== character.id), character]);
    return character;
  }
}

function sorted(characters: Character[]): Character[] {
  return characters.toSorted((a, b) => a.name.localeCompare(b.name));
}
