/**
 * What a generator makes of a source that is open already. A generator alone would not close it for a reader that leaves before it has
 * read anything: then nothing of a generator's body runs, `finally` included. And while one waits for its source, leaving would wait too.
 */
export function throughGenerator<In, Out>(
  source: AsyncIterable<In>,
  make: (pieces: AsyncIterable<In>) => AsyncGenerator<Out>,
): AsyncIterableIterator<Out> {
  const pieces = source[Symbol.asyncIterator]()
  const made = make({ [Symbol.asyncIterator]: () => pieces })
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next: () => made.next(),
    return: async () => {
      await pieces.return?.()
      return await made.return(undefined)
    },
  }
}
