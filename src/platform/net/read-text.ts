import { isUtf8 } from 'node:buffer'
import { ByteQueue, joined } from '../../base/bytes/byte-queue.ts'
import { type WireBody, WireFailure } from '../../translation/wire/wire.ts'

/** Reads a provider's whole answer as text. An answer beyond the limit is refused and not collected. */
export async function readText(body: WireBody, limitBytes: number): Promise<string> {
  return readHere(body, limitBytes) ?? toText(await readAll(body, limitBytes), limitBytes)
}

/** Like readText, if the answer has already arrived, as most short ones have. Returns undefined if not. */
export function readHere(body: WireBody, limitBytes: number): string | undefined {
  const chunks = body.takeComplete?.()
  return chunks && toText(chunks, limitBytes)
}

function toText(chunks: readonly Uint8Array[], limitBytes: number): string {
  const bytes = joined(chunks)
  if (bytes.length > limitBytes || !isUtf8(bytes)) throw new WireFailure('protocol')
  return bytes.toString('utf8')
}

async function readAll(body: WireBody, limitBytes: number): Promise<Uint8Array[]> {
  const buffered = new ByteQueue()
  for await (const chunk of body) {
    buffered.push(chunk)
    if (buffered.length > limitBytes) throw new WireFailure('protocol')
  }
  return buffered.takePieces()
}
