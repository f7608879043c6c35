import Type from '../../../../base/schema/type.ts'
import type { Tools } from '../../feature.ts'
import { namedLanguage } from '../../fields/language.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { type Fields, jsonPayload } from '../../http/payload.ts'
import { ReportedScore } from '../../fields/score.ts'

// https://cloud.google.com/natural-language/docs/reference/rest

/** A category and how sure Google is. Like every number of Google, a confidence of zero is omitted. */
export const ProtoClass = Type.Object({
  name: Type.String(),
  confidence: Type.Optional(ReportedScore),
})

/** Google bills by the thousand characters. */
export const LANGUAGE_METER = { step: 1_000 }

/** A sentiment from -1 to 1 that is closer to zero is neutral. */
export const NEUTRAL_BELOW = 0.25

/** Asks for one analysis of a text. Google detects the language if none is named. */
export async function analyzeText<Reply>(
  tools: Tools,
  operation: `v1/documents:${string}` | `v2/documents:${string}`,
  { text, language, more }: { text: string; language?: string | null | undefined; more: Fields },
  read: (value: unknown) => Reply,
): Promise<Reply> {
  const named = namedLanguage(language)
  const field = operation.startsWith('v1') ? 'language' : 'languageCode'
  const document = { type: 'PLAIN_TEXT', content: text, ...(named && { [field]: named }) }
  return await askForJson(
    tools,
    { service: 'language', path: `/${operation}`, payload: jsonPayload({ ...more, document }) },
    read,
  )
}
