/** A request before its texts are counted: the texts, and the tokens of everything else. */
export class Sheet {
  readonly texts: string[] = []
  tokens = 0

  text(text: unknown): void {
    if (typeof text === 'string' && text !== '') this.texts.push(text)
  }

  /** How a model sees the parts that are not text. */
  json(value: unknown): void {
    if (value !== undefined) this.texts.push(JSON.stringify(value))
  }

  add(tokens: number): void {
    this.tokens += tokens
  }
}
