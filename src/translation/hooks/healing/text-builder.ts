const PIECES_PER_PART = 1_024

/**
 * Builds a text from many small pieces. The pieces are joined from time to time: millions of them take thirty times their
 * length.
 */
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
