import { primaryLanguage } from '../calls/language-tags.ts'
import { namedLanguage } from '../language.ts'

// https://developers.deepl.com/docs

export const DEEPL_PROOF = { headers: { authorization: 'DeepL-Auth-Key {secret}' } }

/** Languages that it wants to know the region of. */
const REGIONS: Readonly<Record<string, string>> = { EN: 'EN-US', PT: 'PT-PT' }

/** Both languages as it writes them: a source has no region, a target may need one. */
export function deeplLanguages(input: { target_language: string; source_language?: string | null }) {
  const target = input.target_language.replaceAll('_', '-').toUpperCase()
  const source = primaryLanguage(namedLanguage(input.source_language))?.toUpperCase()
  return { target_lang: Object.hasOwn(REGIONS, target) ? REGIONS[target] : target, source_lang: source }
}
