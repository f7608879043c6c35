import Type from '../../schema/type.ts'
import { optional } from '../../schema/fields.ts'

const AUTO_DETECT = 'auto-detect'
// The longest language tag that programs are asked to make room for (RFC 5646, 4.4.1).
const MAX_TAG_CHARS = 35

/** A language as a caller writes it. */
export function language(description: string) {
  return Type.String({ minLength: 2, maxLength: MAX_TAG_CHARS, description, examples: ['en', 'pt-BR'] })
}

export function optionalLanguage(description = 'Language of the input.') {
  return optional(
    language(description),
    `${description} An ISO code such as \`en\` or \`pt-BR\`; \`${AUTO_DETECT}\` or nothing to have it found out.`,
  )
}

/** The language that the caller named; null when it is to be found out. */
export function namedLanguage(value: string | null | undefined): string | null {
  return value === undefined || value === null || value === AUTO_DETECT ? null : languageTag(value)
}

/** A language as the standard writes it: `pt-BR` of `pt_br`, `fr` of `fra`. What is none is left for the provider to refuse. */
export function languageTag(value: string): string {
  try {
    return Intl.getCanonicalLocales(value.replaceAll('_', '-'))[0] ?? value
  } catch {
    return value
  }
}
