import { citedText, documentCitation, type Span, urlCitation } from '../citation.ts'
import { type Fields, isRecord, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'

/** `span` is the position of the cited text in the answer. */
export function annotationsOf(citations: unknown, span: Span): Fields[] {
  return recordsIn(citations).map((citation) => annotationOf(citation, span))
}

function annotationOf(citation: Fields, span: Span): Fields {
  const location = recordOf(citation.location)
  const title = textOf(citation.title)
  const cited = textsIn(citation.sourceContent)
  const url = textOf(recordOf(location.web).url)
  if (url) return urlCitation(span, url, title, cited)
  const [[kind, where] = ['', {}]] = Object.entries(location).filter(([, value]) => isRecord(value))
  return documentCitation(span, {
    title,
    ...(where as Fields),
    ...locationOf(kind, where as Fields),
    ...citedText(cited),
  })
}

/** Converse has one form for all places; the names are those of Anthropic, which other formats understand. */
const PLACES: Readonly<Record<string, readonly [location: string, names: readonly [string, string]]>> = {
  documentChar: ['char_location', ['start_char_index', 'end_char_index']],
  documentPage: ['page_location', ['start_page_number', 'end_page_number']],
  documentChunk: ['content_block_location', ['start_block_index', 'end_block_index']],
  searchResultLocation: ['search_result_location', ['start_block_index', 'end_block_index']],
}

function locationOf(kind: string, { documentIndex, searchResultIndex, start, end }: Fields): Fields {
  const names = Object.hasOwn(PLACES, kind) ? PLACES[kind] : undefined
  if (!names) return {}
  const [location, [first, last]] = names
  const index =
    searchResultIndex === undefined ? { document_index: documentIndex } : { search_result_index: searchResultIndex }
  return { location, ...index, [first]: start, [last]: end }
}

/** Cited and generated content both have the form `[{text}, {text}]`. */
export function textsIn(content: unknown): string {
  return recordsIn(content)
    .map(({ text }) => textOf(text))
    .join('')
}
