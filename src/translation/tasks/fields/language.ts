import Type from '../../../base/schema/type.ts'
import { optional } from '../../../base/schema/fields.ts'

const AUTO_DETECT = 'auto-detect'
// The longest language tag that RFC 5646, 4.4.1 asks programs to support.
const MAX_TAG_CHARS = 35

/** A language as a caller writes it. */
export function language(description: string) {
  return Type.String({ minLength: 2, maxLength: MAX_TAG_CHARS, description, examples: ['en', 'pt-BR'] })
}

export function optionalLanguage(description = 'Language of the input.') {
  return optional(
    language(description),
    `${description} An ISO code such as \`en\` or \`pt-BR\`; \`${AUTO_DETECT}\` or null for automatic detection.`,
  )
}

/** The language that the caller named; null if it is to be detected. */
export function namedLanguage(value: string | null | undefined): string | null {
  return value === undefined || value === null || value === AUTO_DETECT ? null : languageTag(value)
}

/**
 * Normalizes a language tag: `pt_br` becomes `pt-BR`, `fra` becomes `fr`. An invalid tag is left for the provider to refuse.
 */
export function languageTag(value: string): string {
  try {
    return Intl.getCanonicalLocales(value.replaceAll('_', '-'))[0] ?? value
  } catch {
    return value
  }
}
