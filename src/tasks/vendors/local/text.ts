import { namedLanguage } from '../../fields/language.ts'
import type { Tools } from '../../feature.ts'
import { acceptText } from '../../inputs/accept-text.ts'
import { declined } from '../../http/declined.ts'
import { languageName, primaryLanguage } from '../../inputs/language-tags.ts'

/** The parser of English takes ten seconds for twice as much. */
export const MAX_CHARACTERS = 50_000

type Input = { text: string; language?: string | null | undefined }

/** The text, where it is not too long for the engines here. */
export function localText({ text }: Input): string {
  return acceptText(text, { characters: MAX_CHARACTERS })
}

/** The text for an engine that reads English only. Another language is declined, whether it is named or found out. */
export async function englishText(input: Input, tools: Tools): Promise<string> {
  const text = namedEnglish(input)
  if (namedLanguage(input.language) || TOO_SHORT_TO_TELL.test(text)) return text
  const [likeliest, ...others] = await tools.engine('language', { text })
  const english = others.find(({ code }) => code === 'en')
  const isOther = likeliest && likeliest.code !== 'en' && likeliest.confidence > (english?.confidence ?? 0) + DOUBT
  if (isOther) throw onlyEnglish(likeliest.code)
  return text
}

/** The same where a language is believed as it is named, and not looked for. */
export function namedEnglish(input: Input): string {
  const named = primaryLanguage(namedLanguage(input.language))
  if (named && named !== 'en') throw onlyEnglish(named)
  return localText(input)
}

/** A few words in Latin letters may be in any language: they are taken for English. */
const TOO_SHORT_TO_TELL = /^[\p{Script=Latin}\P{L}]{0,24}$/u
/** By how much another language has to be likelier. */
const DOUBT = 0.15

function onlyEnglish(code: string) {
  return declined(`this engine reads English only, not ${languageName(code)}`, 422, 'unsupported_language')
}
