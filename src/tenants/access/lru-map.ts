type Node<Value> = { name: string; value: Value; newer: Node<Value> | undefined; older: Node<Value> | undefined }

/**
 * A bounded map that forgets the entry that was not used for the longest time. Its order is a linked list: deleting and
 * inserting in a Map would rebuild a table of 100,000 entries again and again, on the hot path.
 */
export class LruMap<Value> {
  readonly #maxEntries: number
  readonly #nodes = new Map<string, Node<Value>>()
  #newest: Node<Value> | undefined
  #oldest: Node<Value> | undefined

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries
  }

  get size(): number {
    return this.#nodes.size
  }

  /** Makes the entry the newest one. */
  get(name: string): Value | undefined {
    const node = this.#nodes.get(name)
    if (node === undefined) return undefined
    if (node !== this.#newest) {
      this.#unlink(node)
      this.#linkNewest(node)
    }
    return node.value
  }

  /** Says whether there is such an entry, without using it. */
  has(name: string): boolean {
    return this.#nodes.has(name)
  }

  set(name: string, value: Value): void {
    this.delete(name)
    if (this.#nodes.size >= this.#maxEntries) this.delete(this.#oldest!.name)
    const node: Node<Value> = { name, value, newer: undefined, older: undefined }
    this.#nodes.set(name, node)
    this.#linkNewest(node)
  }

  delete(name: string): void {
    const node = this.#nodes.get(name)
    if (node === undefined) return
    this.#nodes.delete(name)
    this.#unlink(node)
  }

  clear(): void {
    this.#nodes.clear()
    this.#newest = undefined
    this.#oldest = undefined
  }

  /** In no particular order. Entries may come and go meanwhile. */
  *entries(): Generator<[name: string, value: Value]> {
    for (const { name, value } of this.#nodes.values()) yield [name, value]
  }

  names(): Iterable<string> {
    return this.#nodes.keys()
  }

  #linkNewest(node: Node<Value>): void {
    node.older = this.#newest
    node.newer = undefined
    if (this.#newest) this.#newest.newer = node
    this.#newest = node
    this.#oldest ??= node
  }

  #unlink(node: Node<Value>): void {
    const { newer, older } = node
    if (newer) newer.older = older
    else this.#newest = older
    if (older) older.newer = newer
    else this.#oldest = newer
  }
}
