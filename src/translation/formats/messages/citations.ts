import { type Fields, isRecord, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { toNumber } from '../../../base/schema/to-primitive.ts'
import { newQuote, type Quote } from '../quotation.ts'
import { MAX_SOURCES } from '../unseen-content.ts'

/** The quoted part of an answer is for orientation only. */
const MAX_CITED_CHARS = 500

/** The sources of an answer in this format. Its citations name a place in a document, or a result of a search. */
export function citationsOf(annotations: unknown, text: string): Fields[] {
  const quote = newQuote(MAX_CITED_CHARS)
  return recordsIn(annotations)
    .slice(0, MAX_SOURCES)
    .flatMap((annotation) => citations(annotation, text, quote))
}

function citations({ type, url_citation, document_citation }: Fields, text: string, quote: Quote): Fields[] {
  if (type === 'url_citation' && isRecord(url_citation)) return [webCitation(url_citation, text, quote)]
  if (type !== 'document_citation' || !isRecord(document_citation)) return []
  const { location, sources } = document_citation
  if (typeof location === 'string') return [located(document_citation, quote)]
  const listed = recordsIn(sources)
  if (listed.length === 0) return [searchResult(document_citation, document_citation, 0, quote)]
  return listed.map((source, at) => searchResult(source, recordOf(source.document ?? source.tool_output), at, quote))
}

function webCitation(citation: Fields, text: string, quote: Quote): Fields {
  const { url, title, start_index, end_index, cited_text, location } = citation
  if (location === 'search_result_location')
    return { ...located(citation, quote), source: textOf(citation.source) || url }
  const passage = textOf(cited_text) || text.slice(toNumber(start_index) || 0, toNumber(end_index) || 0)
  return {
    type: 'web_search_result_location',
    url,
    title: title ?? null,
    cited_text: quote(passage),
    encrypted_index: '',
  }
}

/** A place in a document, under the names of this format. */
function located(citation: Fields, quote: Quote): Fields {
  const { location, title, cited_text, start_index: _, end_index: __, url: ___, ...where } = citation
  const name = location === 'search_result_location' ? { title } : { document_title: textOf(title) || null }
  return { type: location, ...name, ...where, cited_text: quote(textOf(cited_text)) }
}

/** Other providers name the document, but not the place in it. */
function searchResult(source: Fields, document: Fields, at: number, quote: Quote): Fields {
  const passage = ['cited_text', 'snippet', 'text', 'content'].map((name) => textOf(document[name])).find(Boolean) ?? ''
  return {
    type: 'search_result_location',
    source: textOf(source.id) || textOf(document.id) || textOf(document.title),
    title: textOf(document.title) || null,
    cited_text: quote(passage),
    search_result_index: at,
    start_block_index: 0,
    end_block_index: 1,
  }
}
