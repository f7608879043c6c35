/** The calls of the last turn of the model that have no result yet. Clients of this format may leave the ids out. */
export class OpenCalls {
  #open = new Set<string>()
  /** The ids of the calls of each function, oldest last. Calls that already have a result are skipped. */
  #byName = new Map<string, string[]>()

  made(calls: readonly { id: string; name: string }[]): void {
    this.#open = new Set(calls.map(({ id }) => id))
    this.#byName = new Map()
    for (const { id, name } of calls.toReversed()) {
      const sameName = this.#byName.get(name)
      if (sameName) sameName.push(id)
      else this.#byName.set(name, [id])
    }
  }

  /** The id of the call that a result belongs to. */
  answered(id: string, name: string): string {
    if (this.#open.delete(id)) return id
    const sameName = this.#byName.get(name) ?? []
    for (let next = sameName.pop(); next !== undefined; next = sameName.pop()) if (this.#open.delete(next)) return next
    return id || name
  }
}
