import { citedText, documentCitation, type Span, urlCitation } from '../citation.ts'
import { type Fields, recordsIn, textOf } from '../../../base/schema/record.ts'

/**
 * The sources of a text block. Anthropic attaches them to the block; our format names the position in the text. Sources
 * without a URL keep their location (pages, characters, blocks) under the names that Anthropic gives it.
 */
export function annotationsOf(citations: unknown, span: Span): Fields[] {
  return recordsIn(citations).map((citation) => annotationOf(citation, span))
}

function annotationOf({ type, cited_text, encrypted_index: _, ...where }: Fields, span: Span): Fields {
  const { url, source, title, document_title } = where
  const address = textOf(url) || (isAddress(source) ? source : '')
  if (type === 'web_search_result_location') return urlCitation(span, textOf(url), textOf(title), cited_text)
  const name = textOf(title) || textOf(document_title)
  const located = { title: name, location: type, ...present(where), ...citedText(cited_text) }
  if (address) return urlCitationAt(span, address, located)
  return documentCitation(span, located)
}

/** A search result of the request may have an address as its source. */
function urlCitationAt({ start, end }: Span, url: string, located: Fields): Fields {
  return { type: 'url_citation', url_citation: { start_index: start, end_index: end, url, ...located } }
}

function isAddress(source: unknown): source is string {
  return typeof source === 'string' && /^https?:\/\//i.test(source)
}

function present({ title: _, document_title: __, url: ___, ...where }: Fields): Fields {
  return Object.fromEntries(Object.entries(where).filter(([, value]) => value != null))
}
