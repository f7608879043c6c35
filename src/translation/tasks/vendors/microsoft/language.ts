import Type, { type Static, type TSchema } from '../../../../base/schema/type.ts'
import type { Task, Tools } from '../../feature.ts'
import { namedLanguage } from '../../fields/language.ts'
import { acceptText } from '../../inputs/accept-text.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { billedCharacters } from '../../inputs/billed-characters.ts'
import { type Fields, jsonPayload } from '../../http/payload.ts'
import { abandoned } from '../../http/refusal.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { TaskFailure } from '../../http/task-failure.ts'

// https://learn.microsoft.com/rest/api/language/analyze-text

/** Microsoft bills in blocks of 1,000 characters. */
export const TEXT_RECORD = { step: 1_000 }

/** Makes Microsoft count positions in UTF-16 units, like our texts. */
export const COUNTED_LIKE_US = { stringIndexType: 'Utf16CodeUnit' }

const PATH = '/language/:analyze-text?api-version=2023-04-01'
const MAX_CHARACTERS = 5_120

type Results<Document> = { documents: Document[]; errors: { error: { code: string; message: string } }[] }

/** Creates a function that analyzes a text in a language; the default language is English. */
export function textAnalysis<Document extends TSchema>(kind: string, document: Document) {
  const Failure = Type.Object({ error: Type.Object({ code: Type.String(), message: Type.String() }) })
  const results = Type.Object({ documents: Type.Array(document), errors: Type.Array(Failure) })
  const read = replyReader(Type.Object({ results }))
  return async (tools: Tools, text: string, language: string | null, parameters: Fields = {}) => {
    const documents = [
      { id: '1', text: acceptText(text, { characters: MAX_CHARACTERS }), ...(language && { language }) },
    ]
    const payload = jsonPayload({ kind, parameters, analysisInput: { documents } })
    const original = await askForJson(tools, { path: PATH, payload }, read)
    return { original, found: onlyOne(original.results as Results<Static<Document>>, tools) }
  }
}

const detectLanguage = textAnalysis(
  'LanguageDetection',
  Type.Object({ detectedLanguage: Type.Object({ iso6391Name: Type.String() }) }),
)

type TextTask = Pick<Task<{ text: string; language?: string | null | undefined }>, 'input' | 'params'>
type Analysis<Found> = (tools: Tools, text: string, language: string, more: Fields) => Promise<Found>

/** Analyzes a text in its language. */
export async function analyzedText<Found>(tools: Tools, task: TextTask, analyze: Analysis<Found>, more: Fields = {}) {
  const { text } = task.input
  const language = await languageOf(tools, text, task.input.language)
  const found = await analyze(tools, text, language, { ...task.params, ...more })
  return { ...found, units: billedCharacters(text, TEXT_RECORD) }
}

/** The language that the caller names; if there is none, it is detected first. */
async function languageOf(tools: Tools, text: string, value: string | null | undefined): Promise<string> {
  const named = namedLanguage(value)
  return named ?? (await detectLanguage(tools, text, null)).found.detectedLanguage.iso6391Name
}

function onlyOne<Document>({ documents, errors }: Results<Document>, tools: Tools): Document {
  if (errors[0]) throw abandoned(tools, errors[0].error.code, errors[0].error.message)
  if (documents[0] === undefined) throw new TaskFailure('garbage', 'the answer of the provider contains no result')
  return documents[0]
}
