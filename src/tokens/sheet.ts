/** What is known of a request before its texts are counted: the texts, and the tokens of everything that is none. */
export class Sheet {
  readonly texts: string[] = []
  tokens = 0

  text(text: unknown): void {
    if (typeof text === 'string' && text !== '') this.texts.push(text)
  }

  /** As a model is shown what is no text. */
  json(value: unknown): void {
    if (value !== undefined) this.texts.push(JSON.stringify(value))
  }

  add(tokens: number): void {
    this.tokens += tokens
  }
}
