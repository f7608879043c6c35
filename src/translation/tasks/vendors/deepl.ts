import { nearestLanguage, primaryLanguage } from '../inputs/language-tags.ts'
import { languageTag, namedLanguage } from '../fields/language.ts'

// https://developers.deepl.com/docs

export const DEEPL_PROOF = { headers: { authorization: 'DeepL-Auth-Key {secret}' } }

/** Target languages with a region or a script at DeepL, and those that require one. */
const KNOWN = ['en-GB', 'en-US', 'es-419', 'pt-BR', 'pt-PT', 'zh-Hans', 'zh-Hant']
const REGIONS: Readonly<Record<string, string>> = { EN: 'EN-US', PT: 'PT-PT' }

/** Both languages in DeepL's notation: a source has no region, a target may need one. */
export function deeplLanguages(input: { target_language: string; source_language?: string | null }) {
  const target = nearestLanguage(languageTag(input.target_language), KNOWN).toUpperCase()
  const source = primaryLanguage(namedLanguage(input.source_language))?.toUpperCase()
  return { target_lang: Object.hasOwn(REGIONS, target) ? REGIONS[target] : target, source_lang: source }
}
