import { type Fields, textOf } from '../../base/schema/record.ts'

/** The cited range of the answer, in string offsets. */
export type Span = { start: number; end: number }

/** Quotations are for orientation. Providers cut theirs at a few hundred characters, documents may be quoted whole. */
const MAX_CITED_CHARS = 2_000

/** `cited` is the passage of the source, if it is known. */
export function urlCitation({ start, end }: Span, url: string, title: string, cited?: unknown): Fields {
  return {
    type: 'url_citation',
    url_citation: { start_index: start, end_index: end, url, title, ...citedText(cited) },
  }
}

/** A source without a URL: a document of the request, or the result of a tool. */
export function documentCitation({ start, end }: Span, source: Fields): Fields {
  return { type: 'document_citation', document_citation: { start_index: start, end_index: end, ...source } }
}

export function citedText(text: unknown): { cited_text?: string } {
  return textOf(text) ? { cited_text: textOf(text).slice(0, MAX_CITED_CHARS) } : {}
}
