import { type Span, urlCitation } from '../citation.ts'
import { type Fields, recordsIn, textOf } from '../../schema/record.ts'

/** The sources of a text block. Anthropic attaches them to the block; our format names the position in the text. */
export function annotationsOf(citations: unknown, span: Span): Fields[] {
  return recordsIn(citations).flatMap(({ type, url, title }) => {
    const isOfWeb = type === 'web_search_result_location' && typeof url === 'string'
    return isOfWeb ? [urlCitation(span, url, textOf(title))] : []
  })
}
