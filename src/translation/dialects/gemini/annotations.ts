import { citedText, documentCitation, type Span, urlCitation } from '../citation.ts'
import { type Fields, listOf, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'

/** Makes the citation of a source at a place of the answer. */
type Source = (span: Span) => Fields

/** More passages than any real answer cites. Each one is searched for. */
const MAX_SUPPORTS = 1_000
const MAX_ANNOTATIONS = 2_000
/** A longer passage is not searched for: that can take the product of its length and the length of the answer. */
const MAX_QUOTED_CHARS = 2_000
const BLOCK_BYTES = 4_096

/** The sources of the answer. Google counts UTF-8 bytes; readers slice strings. */
export function toAnnotations({ groundingMetadata, citationMetadata }: Fields, text: string): Fields[] {
  const all = [...grounded(recordOf(groundingMetadata), text), ...recited(recordOf(citationMetadata), text)]
  return all.slice(0, MAX_ANNOTATIONS)
}

function grounded(grounding: Fields, text: string): Fields[] {
  const sources = listOf(grounding.groundingChunks).map(sourceOf)
  const supports = recordsIn(grounding.groundingSupports).slice(0, MAX_SUPPORTS)
  if (supports.length === 0) return cited(sources, { start: 0, end: text.length })
  const characterAt = characterOffsets(text)
  return supports.flatMap(({ segment, groundingChunkIndices }) => {
    const chosen = listOf(groundingChunkIndices).map((at) => (typeof at === 'number' ? sources[at] : undefined))
    return cited(chosen, spanOf(recordOf(segment), characterAt, text))
  })
}

function sourceOf(chunk: unknown): Source | undefined {
  const { web, retrievedContext, maps } = recordOf(chunk)
  const { uri, title, text, documentName } = recordOf(web ?? retrievedContext ?? maps)
  if (textOf(uri)) return (span) => urlCitation(span, textOf(uri), textOf(title))
  if (!textOf(documentName) && !textOf(title)) return undefined
  const document = { title: textOf(title), ...(textOf(documentName) && { id: documentName }) }
  return (span) => documentCitation(span, { ...document, ...citedText(text) })
}

function cited(sources: (Source | undefined)[], span: Span): Fields[] {
  return sources.flatMap((source) => (source ? [source(span)] : []))
}

/** Passages that the answer repeats word for word. The Gemini API and Vertex AI have different names for the list. */
function recited({ citationSources, citations }: Fields, text: string): Fields[] {
  const sources = recordsIn(citationSources ?? citations).slice(0, MAX_SUPPORTS)
  if (sources.length === 0) return []
  const characterAt = characterOffsets(text)
  return sources.flatMap(({ uri, title, startIndex, endIndex }) => {
    const span = { start: characterAt(startIndex), end: characterAt(endIndex) }
    return textOf(uri) ? [urlCitation(span, textOf(uri), textOf(title))] : []
  })
}

/**
 * An offset counts from the beginning of its part. The quoted text shows whether that is also the beginning of the answer.
 */
function spanOf(segment: Fields, characterAt: (byte: unknown) => number, text: string): Span {
  const [start, end] = [characterAt(segment.startIndex), characterAt(segment.endIndex)]
  const quoted = textOf(segment.text)
  const isLost = quoted.length <= MAX_QUOTED_CHARS && text.slice(start, end) !== quoted
  const found = quoted && isLost ? text.indexOf(quoted) : -1
  return found < 0 ? { start, end } : { start: found, end: found + quoted.length }
}

/** Maps a byte offset to a character offset. The text is scanned once; each lookup then reads one block of it. */
function characterOffsets(text: string): (byte: unknown) => number {
  const bytes = Buffer.from(text)
  const blocks = [0]
  for (let end = BLOCK_BYTES; end <= bytes.length; end += BLOCK_BYTES)
    blocks.push(blocks.at(-1)! + charactersIn(bytes, end - BLOCK_BYTES, end))
  return (byte) => {
    if (typeof byte !== 'number' || !(byte > 0)) return 0
    const end = Math.min(Math.floor(byte), bytes.length)
    const block = Math.floor(end / BLOCK_BYTES)
    return blocks[block]! + charactersIn(bytes, block * BLOCK_BYTES, end)
  }
}

/** Characters as JavaScript counts them: four bytes of UTF-8 are two. */
function charactersIn(bytes: Buffer, start: number, end: number): number {
  let count = 0
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!
    if (byte < 0x80 || byte >= 0xc0) count += byte >= 0xf0 ? 2 : 1
  }
  return count
}
