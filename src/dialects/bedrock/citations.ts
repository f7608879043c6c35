import { documentCitation, type Span, urlCitation } from '../citation.ts'
import { type Fields, isRecord, recordOf, recordsIn, textOf } from '../../schema/record.ts'

/** `span` is the position of the cited text in the answer. */
export function annotationsOf(citations: unknown, span: Span): Fields[] {
  return recordsIn(citations).map((citation) => annotationOf(citation, span))
}

function annotationOf(citation: Fields, span: Span): Fields {
  const location = recordOf(citation.location)
  const title = textOf(citation.title)
  const url = textOf(recordOf(location.web).url)
  if (url) return urlCitation(span, url, title)
  const cited = textsIn(citation.sourceContent)
  const [where] = Object.values(location).filter(isRecord)
  return documentCitation(span, { title, ...where, ...(cited && { cited_text: cited }) })
}

/** Cited and generated content both have the form `[{text}, {text}]`. */
export function textsIn(content: unknown): string {
  return recordsIn(content)
    .map(({ text }) => textOf(text))
    .join('')
}
