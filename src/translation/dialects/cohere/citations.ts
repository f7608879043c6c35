import { documentCitation, type Span, urlCitation } from '../citation.ts'
import { countOf, type Fields, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'

/** Citations of the plan or of the reasoning point to texts other than the answer. */
export function isOfAnswer({ type }: Fields): boolean {
  return type == null || type === 'TEXT_CONTENT'
}

/**
 * Each source with a URL becomes a `url_citation`; documents and tool results without one share a `document_citation`.
 * `offset` is the start of the block.
 */
export function annotationsOf(citation: Fields, offset: number): Fields[] {
  const span = { start: offset + countOf(citation.start), end: offset + countOf(citation.end) }
  const sources = recordsIn(citation.sources)
  const onWeb = sources.filter((source) => textOf(documentOf(source).url))
  const rest = sources.filter((source) => !textOf(documentOf(source).url) && Object.keys(documentOf(source)).length > 0)
  const bare = sources.filter((source) => Object.keys(documentOf(source)).length === 0)
  const urls = onWeb.map((source, at) => webCitation(span, source, at === 0 ? bare : []))
  if (rest.length === 0 && urls.length > 0) return urls
  return [...urls, documentCitation(span, { text: textOf(citation.text), sources: urls.length > 0 ? rest : sources })]
}

/** Keeps the source as it was: clients of Cohere know it by its id. Sources that are only an id are beside the first one. */
function webCitation(span: Span, source: Fields, bare: readonly Fields[]): Fields {
  const { url, title, snippet } = documentOf(source)
  const { type, url_citation } = urlCitation(span, textOf(url), textOf(title), snippet)
  return { type, url_citation: { ...recordOf(url_citation), sources: [...bare, source] } }
}

/** A document of the request, or the result of a tool, which often is one too. */
function documentOf({ document, tool_output }: Fields): Fields {
  return recordOf(document ?? tool_output)
}
