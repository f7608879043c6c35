import type { Fields } from '../schema/record.ts'

/** From where to where in the answer something is cited, in characters of a string. */
export type Span = { start: number; end: number }

export function urlCitation({ start, end }: Span, url: string, title: string): Fields {
  return { type: 'url_citation', url_citation: { start_index: start, end_index: end, url, title } }
}

/** A source without an address: a document of the request, the result of a tool. */
export function documentCitation({ start, end }: Span, source: Fields): Fields {
  return { type: 'document_citation', document_citation: { start_index: start, end_index: end, ...source } }
}
