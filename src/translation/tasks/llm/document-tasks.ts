import Type from '../../../base/schema/type.ts'
import { closedObject } from '../closed-object.ts'
import type { Feature } from '../feature.ts'
import { IdentityDocument } from '../fields/identity-document.ts'
import financialParser from '../ocr/financial_parser/feature.ts'
import identityParser from '../ocr/identity_parser/feature.ts'
import ocr from '../ocr/ocr/feature.ts'
import resumeParser from '../ocr/resume_parser/feature.ts'
import { type LlmTask, llmTask, plainTask } from './llm-task.ts'
import { type CountryNames, countryOf } from '../fields/country-of.ts'

const ONLY_WHAT_IS_THERE = `Take only what the document shows; give null for what it does not show, and an empty list where it
shows none. Never guess and never work out what is not printed.`

const DATES = 'Write dates as YYYY-MM-DD as far as they are known.'

/** A model sees the portrait and the signature, but cannot crop them. */
const IdentityAnswer = Type.Omit(IdentityDocument, ['image_id', 'image_signature'])

const NOWHERE = { left: null, top: null, width: null, height: null }

export const DOCUMENT_TASKS: [Feature, LlmTask][] = [
  plainTask(
    financialParser,
    `Read the invoice or receipt; the setting \`document_type\` says which, where it is known. ${ONLY_WHAT_IS_THERE} Give one
entry per document in the file. Write amounts and rates as plain numbers with a point, without currency and thousands signs;
rates in percent. ${DATES} Write currency codes as ISO 4217 and country codes as ISO 3166. The merchant is who is paid, the
customer who pays. \`document_index\` and \`document_page_number\` count from 1; \`document_type\` is invoice or receipt.`,
  ),
  llmTask(identityParser, {
    instructions: `Read the passport, identity card or driving licence. ${ONLY_WHAT_IS_THERE} Give one entry per document.
${DATES} \`gender\` is as printed. \`alpha2\` and \`alpha3\` are the ISO 3166 codes of the country that issued it. \`mrz\` is the
machine-readable lines with a line break between them. A confidence is how clearly the field can be read, from 0 to 1.`,
    answerSchema: closedObject({ extracted_data: Type.Array(IdentityAnswer) }),
    complete: ({ extracted_data }) => ({
      extracted_data: extracted_data.map(({ last_name, country, ...others }) => ({
        ...others,
        last_name: { ...last_name, value: last_name.value?.toUpperCase() ?? null },
        country: country && { ...country, ...countryIn(country) },
        image_id: [],
        image_signature: [],
      })),
    }),
  }),
  plainTask(
    resumeParser,
    `Read the curriculum vitae. ${ONLY_WHAT_IS_THERE} ${DATES} Keep education and work in the order of the document.
Country codes are ISO 3166 with two letters, language codes ISO 639-1. Only the years in all may be worked out, from the dates.`,
  ),
  llmTask(ocr, {
    instructions: `Read all the text in the picture or document, from top to bottom as a reader would, with the line breaks it
has. Write it as it stands, mistakes and all; translate and explain nothing. Give an empty text where nothing is written.`,
    answerSchema: closedObject({ text: Type.String({ description: 'All the text.' }) }),
    // Models invent positions, so lines have none.
    complete: ({ text }) => ({
      text,
      bounding_boxes: linesOf(text).map((line) => ({ text: line, ...NOWHERE })),
    }),
  }),
]

/** A model may give one of the names only, or codes in capitals. */
function countryIn({ name, alpha2, alpha3 }: CountryNames): CountryNames {
  return countryOf(alpha3 || alpha2 || name || '')
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== '')
}
