/** What can be opened only when the store has been reached. It is undefined until then. */
export type Opened<Part> = { readonly current: Part | undefined }

/** The only place that holds such a part: it is opened once, and those who need it ask whether it is there. */
export class Late<Part extends NonNullable<unknown>> implements Opened<Part> {
  #part: Part | undefined

  get current(): Part | undefined {
    return this.#part
  }

  /** Does nothing if the part is open. If `open` fails, the part can be opened later. */
  async open(open: () => Part | Promise<Part>): Promise<Part> {
    this.#part ??= await open()
    return this.#part
  }
}
