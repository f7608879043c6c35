/** An answer on its way to the caller, which is pulled, so that a caller who reads slowly slows the provider down. */
export type PulledStream<Chunk> = {
  /** The next chunks; undefined when the answer is complete. Throws if the answer cannot be completed. */
  next(): Promise<Chunk[] | undefined>
  /** Must be called by a reader that stops early, with the error that made it stop, if there is one. Does nothing after the end. */
  leave(error?: unknown): void
}
