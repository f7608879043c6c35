const PIECES_PER_PART = 1_024

/** Puts a text together from many small pieces. Joined now and then: millions of pieces take thirty times their length. */
export class TextBuilder {
  readonly #parts: string[] = []
  #pieces: string[] = []

  add(piece: string): void {
    if (this.#pieces.push(piece) < PIECES_PER_PART) return
    this.#parts.push(this.#pieces.join(''))
    this.#pieces = []
  }

  get text(): string {
    return this.#parts.join('') + this.#pieces.join('')
  }
}
