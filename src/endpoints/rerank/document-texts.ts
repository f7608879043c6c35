import type { RerankRequest } from '../../contract/cohere/rerank.ts'
import { cannotTake } from '../../translation/dialects/cannot-take.ts'
import { writeJson } from '../../translation/json/written-numbers.ts'

/** The texts of the documents, as every provider accepts them. */
export function documentTexts({ documents, rank_fields }: RerankRequest): string[] {
  return documents.map((document, at) => {
    const text = typeof document === 'string' ? document : textOf(document, rank_fields)
    if (text !== undefined) return text
    throw cannotTake(['documents', at], rank_fields ? NO_FIELD : NO_TEXT)
  })
}

const NO_TEXT = 'send a text, an object with the text in `text`, or the names of other members in `rank_fields`'
const NO_FIELD = 'this document has none of the members that `rank_fields` names'

/** Without names, the member `text`. Named members become lines, because providers recommend YAML for them. */
function textOf(document: Record<string, unknown>, names: readonly string[] | null | undefined): string | undefined {
  if (!names) return typeof document.text === 'string' ? document.text : undefined
  const present = names.filter((name) => Object.hasOwn(document, name) && document[name] != null)
  const lines = present.map((name) => `${name}: ${inLine(document[name])}`)
  return lines.length > 0 ? lines.join('\n') : undefined
}

function inLine(value: unknown): string {
  return typeof value === 'string' ? value : writeJson(value)
}
