import { documentCitation, urlCitation } from '../citation.ts'
import { countOf, type Fields, recordOf, recordsIn, textOf } from '../../schema/record.ts'

/** Citations of the plan or of the reasoning point to texts other than the answer. */
export function isOfAnswer({ type }: Fields): boolean {
  return type == null || type === 'TEXT_CONTENT'
}

/**
 * A source with a URL becomes a `url_citation`; documents and tool results have none. `offset` is the start of its block.
 */
export function annotationOf(citation: Fields, offset: number): Fields {
  const span = { start: offset + countOf(citation.start), end: offset + countOf(citation.end) }
  const sources = recordsIn(citation.sources)
  const { url, title } = sources.map(({ document }) => recordOf(document)).find(({ url }) => textOf(url)) ?? {}
  if (url) return urlCitation(span, textOf(url), textOf(title))
  return documentCitation(span, { text: textOf(citation.text), sources })
}
