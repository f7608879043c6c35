/**
 * Unique ids for the calls of a conversation. Some makers number the calls of each answer from the beginning, and others
 * refuse an id that occurs twice. A result belongs to the last call with its id.
 */
export class CallIds {
  readonly #uses = new Map<string, number>()

  made(id: string): string {
    const uses = (this.#uses.get(id) ?? 0) + 1
    this.#uses.set(id, uses)
    return numbered(id, uses)
  }

  answered(id: string): string {
    return numbered(id, this.#uses.get(id) ?? 1)
  }
}

function numbered(id: string, uses: number): string {
  return uses === 1 ? id : `${id}_${uses}`
}
