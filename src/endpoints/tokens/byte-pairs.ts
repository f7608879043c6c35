/** The longest piece that can be counted. */
export const MAX_BYTES = 65_536
const JOINED = -1
const NO_PAIR = -2

/**
 * Counts the tokens of one piece of text by byte pair encoding: the neighbours whose union has the lowest rank in the
 * vocabulary are joined, until no more can be. Published encoders scan the whole piece for each pair, which takes minutes for a
 * long run of one letter; here the pairs are in a heap.
 */
export class BytePairs {
  readonly #ranks: ReadonlyMap<string, number>
  readonly #longest: number
  /** The ranks of two-byte tokens, by their bytes: these are most of the lookups. */
  readonly #twos = new Int32Array(65_536).fill(NO_PAIR)
  #bytes = ''
  readonly #next = new Int32Array(MAX_BYTES + 1)
  readonly #previous = new Int32Array(MAX_BYTES + 1)
  /** The rank of the pair that starts at each place. */
  readonly #pairs = new Int32Array(MAX_BYTES + 1)
  /** `rank × MAX_BYTES + place`, the smallest first. Joined or changed pairs stay in the heap until they reach the top. */
  readonly #heap = new Float64Array(3 * MAX_BYTES)
  #size = 0

  /** The vocabulary, with each byte written as one character. */
  constructor(ranks: ReadonlyMap<string, number>) {
    this.#ranks = ranks
    let longest = 0
    for (const [token, rank] of ranks) {
      longest = Math.max(longest, token.length)
      if (token.length === 2) this.#twos[twoBytes(token, 0)] = rank
    }
    this.#longest = longest
  }

  /** `bytes` has one character per byte, like the vocabulary. */
  count(bytes: string): number {
    if (this.#ranks.has(bytes)) return 1
    this.#begin(bytes)
    let tokens = bytes.length
    while (this.#size > 0) {
      const top = this.#pop()
      const position = top % MAX_BYTES
      if (this.#pairs[position] !== (top - position) / MAX_BYTES) continue
      this.#join(position)
      tokens--
    }
    return tokens
  }

  #begin(bytes: string): void {
    this.#bytes = bytes
    this.#size = 0
    for (let at = 0; at < bytes.length; at++) {
      this.#next[at] = at + 1
      this.#previous[at] = at - 1
    }
    this.#next[bytes.length] = bytes.length
    for (let at = 0; at < bytes.length; at++) this.#look(at)
  }

  #join(position: number): void {
    const gone = this.#next[position]!
    const after = this.#next[gone]!
    this.#pairs[gone] = JOINED
    this.#next[position] = after
    this.#previous[after] = position
    this.#look(position)
    if (position > 0) this.#look(this.#previous[position]!)
  }

  /** The rank of the union of the token at this place and the next one. */
  #look(position: number): void {
    const middle = this.#next[position]!
    const end = this.#next[middle]!
    const rank = middle < end ? this.#rankOf(position, end) : NO_PAIR
    this.#pairs[position] = rank
    if (rank !== NO_PAIR) this.#push(rank * MAX_BYTES + position)
  }

  #rankOf(start: number, end: number): number {
    if (end - start === 2) return this.#twos[twoBytes(this.#bytes, start)]!
    if (end - start > this.#longest) return NO_PAIR
    return this.#ranks.get(this.#bytes.slice(start, end)) ?? NO_PAIR
  }

  #push(value: number): void {
    const heap = this.#heap
    let at = this.#size++
    while (at > 0) {
      const above = (at - 1) >> 1
      if (heap[above]! <= value) break
      heap[at] = heap[above]!
      at = above
    }
    heap[at] = value
  }

  #pop(): number {
    const heap = this.#heap
    const top = heap[0]!
    const last = heap[--this.#size]!
    let at = 0
    for (let below = 1; below < this.#size; below = 2 * at + 1) {
      if (below + 1 < this.#size && heap[below + 1]! < heap[below]!) below++
      if (heap[below]! >= last) break
      heap[at] = heap[below]!
      at = below
    }
    heap[at] = last
    return top
  }
}

function twoBytes(bytes: string, at: number): number {
  return bytes.charCodeAt(at) * 256 + bytes.charCodeAt(at + 1)
}
