import { documentCitation, urlCitation } from '../citation.ts'
import { countOf, type Fields, recordOf, recordsIn, textOf } from '../../schema/record.ts'

/** Citations of the plan or of the thoughts point to texts that are not the answer. */
export function isOfAnswer({ type }: Fields): boolean {
  return type == null || type === 'TEXT_CONTENT'
}

/** A source with an address is a `url_citation`; documents and results of tools have none. `offset`: where its block begins. */
export function annotationOf(citation: Fields, offset: number): Fields {
  const span = { start: offset + countOf(citation.start), end: offset + countOf(citation.end) }
  const sources = recordsIn(citation.sources)
  const { url, title } = sources.map(({ document }) => recordOf(document)).find(({ url }) => textOf(url)) ?? {}
  if (url) return urlCitation(span, textOf(url), textOf(title))
  return documentCitation(span, { text: textOf(citation.text), sources })
}
