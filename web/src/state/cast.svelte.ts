/** The characters one can talk with. */
import type { Client } from "../api/client";
import type { Character, CharacterChanges, Imported, NewCharacter } from "../api/types";
import type { Toasts } from "./toasts.svelte";

export class Cast {
  list = $state.raw<Character[]>([]);
  loaded = $state(false);

  constructor(
    readonly client: Client,
    readonly toasts: Toasts,
  ) {}

  async load(): Promise<void> {
    await this.toasts.trying(async () => {
      let page = await this.client.characters();
      const all = page.items;
      while (page.next) {
        page = await this.client.characters(page.next);
        all.push(...page.items);
      }
      this.list = sorted(all);
      this.loaded = true;
    });
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

  async remove(id: string): Promise<void> {
    await this.toasts.trying(async () => {
      await this.client.deleteCharacter(id);
      this.list = this.list.filter((each) => each.id !== id);
    });
  }

  #put(character: Character | undefined): Character | undefined {
    if (character) this.list = sorted([...this.list.filter(({ id }) => id !== character.id), character]);
    return character;
  }
}

function sorted(characters: Character[]): Character[] {
  return characters.toSorted((a, b) => a.name.localeCompare(b.name));
}
