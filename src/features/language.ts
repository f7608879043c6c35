import Type from 'typebox'
import { optional } from '../contract/fields.ts'

const AUTO_DETECT = 'auto-detect'
// The longest language tag that programs are asked to make room for (RFC 5646, 4.4.1).
const LONGEST_TAG = 35

/** A language as a caller writes it. */
export function language(description: string) {
  return Type.String({ minLength: 2, maxLength: LONGEST_TAG, description, examples: ['en', 'pt-BR'] })
}

export function optionalLanguage(description = 'Language of the input.') {
  return optional(
    language(description),
    `${description} An ISO code such as \`en\` or \`pt-BR\`; \`${AUTO_DETECT}\` or nothing to have it found out.`,
  )
}

/** The language that the caller named; null when it is to be found out. */
export function namedLanguage(given: string | null | undefined): string | null {
  return given === undefined || given === AUTO_DETECT ? null : given
}
