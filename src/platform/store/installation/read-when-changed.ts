type Reader = {
  /** Grows with every change in the store. */
  version(): Promise<number>
  read(): Promise<void>
}

/** Reads again only what has changed. One look at a time, so that an old state never replaces a newer one. */
export function readWhenChanged({ version, read }: Reader): () => Promise<void> {
  let readVersion = 0
  let last: Promise<void> = Promise.resolve()

  async function look(): Promise<void> {
    const now = await version()
    if (now === readVersion) return
    await read()
    readVersion = now
  }

  return () => {
    const next = last.then(look)
    last = next.catch(() => undefined)
    return next
  }
}
