import { namedLanguage } from '../../fields/language.ts'
import type { Tools } from '../../feature.ts'
import { acceptText } from '../../inputs/accept-text.ts'
import { declined } from '../../http/declined.ts'
import { languageName, primaryLanguage } from '../../inputs/language-tags.ts'

/** The English parser takes ten seconds for twice as much. */
const MAX_CHARACTERS = 50_000

type Input = { text: string; language?: string | null | undefined }

/** The text, if it is not too long for the engines. */
export function localText({ text }: Input): string {
  return acceptText(text, { characters: MAX_CHARACTERS })
}

/** The text for an English-only engine. Another language is declined, whether it is named or detected. */
export async function englishText(input: Input, tools: Tools): Promise<string> {
  const text = namedEnglish(input)
  if (namedLanguage(input.language) || TOO_SHORT_TO_TELL.test(text)) return text
  const [likeliest, ...others] = await tools.engine('language', { text })
  const english = others.find(({ code }) => code === 'en')
  const isOther = likeliest && likeliest.code !== 'en' && likeliest.confidence > (english?.confidence ?? 0) + DOUBT
  if (isOther) throw onlyEnglish(likeliest.code)
  return text
}

/** Like englishText, but trusts the named language without detection. */
export function namedEnglish(input: Input): string {
  const named = primaryLanguage(namedLanguage(input.language))
  if (named && named !== 'en') throw onlyEnglish(named)
  return localText(input)
}

/** A few words in Latin script may be in any language and count as English. */
const TOO_SHORT_TO_TELL = /^[\p{Script=Latin}\P{L}]{0,24}$/u
/** How much more likely another language has to be. */
const DOUBT = 0.15

function onlyEnglish(code: string) {
  return declined(`this engine reads English only, not ${languageName(code)}`, 422, 'unsupported_language')
}
