import { type Span, urlCitation } from '../citation.ts'
import { type Fields, listOf, recordOf, recordsIn, textOf } from '../record.ts'

type Source = { url: string; title: string }

/** Sources that the answer cites. Google counts bytes of UTF-8; a reader slices strings. */
export function toAnnotations(metadata: unknown, text: string): Fields[] {
  const grounding = recordOf(metadata)
  const sources = listOf(grounding.groundingChunks).map(sourceOf)
  const supports = recordsIn(grounding.groundingSupports)
  if (supports.length === 0) return cited(sources, { start: 0, end: text.length })
  const bytes = Buffer.from(text)
  return supports.flatMap(({ segment, groundingChunkIndices }) => {
    const chosen = listOf(groundingChunkIndices).map((at) => (typeof at === 'number' ? sources[at] : undefined))
    return cited(chosen, spanOf(recordOf(segment), bytes, text))
  })
}

function sourceOf(chunk: unknown): Source | undefined {
  const { web, retrievedContext, maps } = recordOf(chunk)
  const source = recordOf(web ?? retrievedContext ?? maps)
  const url = textOf(source.uri)
  return url ? { url, title: textOf(source.title) } : undefined
}

function cited(sources: (Source | undefined)[], span: Span): Fields[] {
  return sources.flatMap((source) => (source ? [urlCitation(span, source.url, source.title)] : []))
}

/**
 * An offset counts from the beginning of its part. The quoted text says whether that was also the beginning of the
 * answer.
 */
function spanOf(segment: Fields, bytes: Buffer, text: string): Span {
  const [start, end] = [offsetOf(segment.startIndex, bytes), offsetOf(segment.endIndex, bytes)]
  const quoted = textOf(segment.text)
  const found = quoted && text.slice(start, end) !== quoted ? text.indexOf(quoted) : -1
  return found < 0 ? { start, end } : { start: found, end: found + quoted.length }
}

function offsetOf(byte: unknown, bytes: Buffer): number {
  return typeof byte === 'number' && byte > 0 ? bytes.toString('utf8', 0, Math.min(byte, bytes.length)).length : 0
}
