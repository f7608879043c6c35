import { Buffer } from 'node:buffer'
import { type Fields, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { MAX_SOURCES } from '../unseen-content.ts'

/** The sources of an answer, as this format names them; its offsets count bytes of UTF-8. */
export function groundingOf(annotations: unknown, text: string): { groundingMetadata?: Fields } {
  const cited = recordsIn(annotations)
    .slice(0, MAX_SOURCES)
    .map(({ url_citation }) => recordOf(url_citation))
    .filter(({ url }) => textOf(url) !== '')
  if (cited.length === 0) return {}
  const urls = [...new Set(cited.map(({ url }) => textOf(url)))]
  const chunks = urls.map((uri) => ({ web: { uri, title: titleOf(uri, cited) } }))
  return { groundingMetadata: { groundingChunks: chunks, groundingSupports: supports(cited, urls, text) } }
}

function titleOf(uri: string, cited: readonly Fields[]): string {
  return textOf(cited.find(({ url }) => url === uri)?.title)
}

function supports(cited: readonly Fields[], urls: readonly string[], text: string): Fields[] {
  const chunkOf = new Map(urls.map((url, at) => [url, at]))
  const bytesAt = byteOffsets(text, cited)
  return cited.map(({ url, start_index, end_index }) => {
    const [start, end] = [offsetIn(text, start_index), offsetIn(text, end_index)]
    const segment = { startIndex: bytesAt.get(start), endIndex: bytesAt.get(end), text: text.slice(start, end) }
    return { segment, groundingChunkIndices: [chunkOf.get(textOf(url))] }
  })
}

function offsetIn(text: string, index: unknown): number {
  return typeof index === 'number' && index > 0 ? Math.min(Math.floor(index), text.length) : 0
}

/** All offsets in one pass over the text, however many there are. */
function byteOffsets(text: string, cited: readonly Fields[]): Map<number, number> {
  const places = cited.flatMap(({ start_index, end_index }) => [offsetIn(text, start_index), offsetIn(text, end_index)])
  const sorted = [...new Set(places)].sort((a, b) => a - b)
  const offsets = new Map<number, number>()
  let [at, bytes] = [0, 0]
  for (const offset of sorted) {
    bytes += Buffer.byteLength(text.slice(at, offset))
    at = offset
    offsets.set(offset, bytes)
  }
  return offsets
}
