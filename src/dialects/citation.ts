import type { Fields } from '../schema/record.ts'

/** The cited range of the answer, in string offsets. */
export type Span = { start: number; end: number }

export function urlCitation({ start, end }: Span, url: string, title: string): Fields {
  return { type: 'url_citation', url_citation: { start_index: start, end_index: end, url, title } }
}

/** A source without a URL: a document of the request, or the result of a tool. */
export function documentCitation({ start, end }: Span, source: Fields): Fields {
  return { type: 'document_citation', document_citation: { start_index: start, end_index: end, ...source } }
}
