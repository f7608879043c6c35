import Type from '../../../../base/schema/type.ts'
import type { Task, Tools } from '../../feature.ts'
import { namedLanguage } from '../../fields/language.ts'
import { acceptText } from '../../inputs/accept-text.ts'
import { askAmazon } from './client.ts'
import { billedCharacters } from '../../inputs/billed-characters.ts'
import { nearestLanguage } from '../../inputs/language-tags.ts'
import { replyReader } from '../../http/reply-reader.ts'

// https://docs.aws.amazon.com/comprehend/latest/APIReference

/** Amazon bills in blocks of 100 characters, at least 300. */
export const COMPREHEND_METER = { step: 100, least: 300 }

export const readLanguages = replyReader(
  Type.Object({ Languages: Type.Array(Type.Object({ LanguageCode: Type.String(), Score: Type.Number() })) }),
)

type TextTask = Pick<Task<{ text: string; language?: string | null | undefined }>, 'input' | 'params'>

/** Analyzes a text of at most this many bytes. */
export async function comprehended<Reply>(
  tools: Tools,
  task: TextTask,
  { operation, bytes }: { operation: string; bytes: number },
  read: (value: unknown) => Reply,
) {
  const text = acceptText(task.input.text, { bytes })
  const LanguageCode = await comprehendLanguage(tools, text, task.input.language)
  const fields = { ...task.params, Text: text, LanguageCode }
  const original = await askAmazon(tools, `comprehend.${operation}`, fields, read)
  return { original, text, units: billedCharacters(text, COMPREHEND_METER) }
}

/** Comprehend needs the language: if the caller names none, it is detected first. */
async function comprehendLanguage(tools: Tools, text: string, value: string | null | undefined): Promise<string> {
  const named = namedLanguage(value)
  if (named) return nearestLanguage(named, ['zh-TW'])
  const { Languages } = await askAmazon(tools, 'comprehend.DetectDominantLanguage', { Text: text }, readLanguages)
  return Languages.toSorted((one, other) => other.Score - one.Score)[0]?.LanguageCode ?? 'en'
}
