import { countOf, type Fields, isRecord, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { toText } from '../../../base/schema/to-primitive.ts'
import { newQuote } from '../quotation.ts'
import { MAX_SOURCES } from '../unseen-content.ts'

/** A text of the answer: its index among the blocks, and where it begins in the whole answer. */
export type TextBlock = { index: number; start: number }

/** Writes the sources of one answer as Cohere's citations. */
export class CitationWriter {
  readonly #quote = newQuote()
  #remainingSources = MAX_SOURCES

  /** Sources of the same passage share a citation. */
  of(annotations: unknown, text: string, blocks: readonly TextBlock[]): Fields[] {
    const citations = new Map<string, Fields & { sources: Fields[] }>()
    for (const annotation of recordsIn(annotations)) {
      if (this.#remainingSources-- <= 0) break
      const cited = citedIn(annotation)
      const [start, end] = spanOf(cited)
      const key = `${start} ${end}`
      const existing = citations.get(key)
      if (existing) existing.sources.push(...sourcesOf(cited))
      else
        citations.set(key, {
          ...placeOf(start, end, blocks),
          text: this.#quote(text.slice(start, end)),
          sources: sourcesOf(cited),
          type: 'TEXT_CONTENT',
        })
    }
    return [...citations.values()]
  }
}

/** Citations of Cohere's plans and of its reasoning, which have no place in the answer, as they were. */
export function ownCitations(content: unknown): Fields[] {
  const { type, blocks } = recordOf(content)
  if (type !== 'cohere') return []
  return recordsIn(blocks).flatMap(({ citation }) => (isRecord(citation) ? [citation] : []))
}

/** Blocks of Cohere that a chat has no field for, as they were. */
export function ownBlocks(content: unknown): Fields[] {
  const { type, blocks } = recordOf(content)
  if (type !== 'cohere') return []
  return recordsIn(blocks).filter((block) => block.type !== 'text' && block.type !== 'citation')
}

/** A chat has the members of an annotation under its type; some hosts have them beside it. */
function citedIn(annotation: Fields): Fields {
  const inner = annotation[textOf(annotation.type)]
  return isRecord(inner) ? inner : annotation
}

/** A cited file has a place, but no range. */
function spanOf({ start_index, end_index, index }: Fields): [start: number, end: number] {
  const start = countOf(start_index ?? index)
  return [start, Math.max(start, countOf(end_index))]
}

/** Cohere counts from the beginning of a block. */
function placeOf(start: number, end: number, blocks: readonly TextBlock[]): Fields {
  const block = blocks.findLast((one) => one.start <= start) ?? blocks[0] ?? { index: 0, start: 0 }
  return { start: start - block.start, end: end - block.start, content_index: block.index }
}

/** Cohere names its sources itself. Those of others become documents. */
function sourcesOf(cited: Fields): Fields[] {
  const own = recordsIn(cited.sources)
  if (own.length > 0) return own
  const { type: _, start_index: __, end_index: ___, index: ____, sources: _____, ...rest } = cited
  const { filename, cited_text, ...more } = rest
  const title = textOf(rest.title) || textOf(filename)
  const id = ['url', 'id', 'file_id', 'source'].map((name) => textOf(rest[name])).find(Boolean)
  const document = { ...more, ...(title && { title }), ...(textOf(cited_text) && { snippet: cited_text }) }
  return [{ type: 'document', id: id || toText(rest.document_index ?? '') || title, document }]
}
