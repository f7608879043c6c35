const MAX_BYTES = 1_024
/** The status is known by then, and a receiver that goes on slowly must not hold up others. */
const WAIT_MS = 1_000

/** The first kilobyte of an answer, as far as it arrives soon. The rest is not read. */
export async function startOf(body: AsyncIterable<Uint8Array>, waitMs = WAIT_MS): Promise<string> {
  const pieces = body[Symbol.asyncIterator]()
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), waitMs)
  try {
    return new TextDecoder().decode(await firstBytes(pieces, late))
  } finally {
    clearTimeout(timer)
    await pieces.return?.()?.catch(() => undefined)
  }
}

async function firstBytes(pieces: AsyncIterator<Uint8Array>, late: Promise<undefined>): Promise<Buffer> {
  const read: Uint8Array[] = []
  for (let length = 0; length < MAX_BYTES; ) {
    // An answer that breaks off has a status all the same.
    const next = await Promise.race([pieces.next().catch(() => undefined), late])
    if (!next || next.done) break
    read.push(next.value)
    length += next.value.length
  }
  return Buffer.concat(read).subarray(0, MAX_BYTES)
}
