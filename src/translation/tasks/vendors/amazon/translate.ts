import { languageTag, namedLanguage } from '../../fields/language.ts'
import { nearestLanguage } from '../../inputs/language-tags.ts'

// https://docs.aws.amazon.com/translate/latest/dg/what-is-languages.html

/** The languages that have a region at Amazon. */
const KNOWN = ['es-MX', 'fa-AF', 'fr-CA', 'pt-PT', 'zh-TW']

export function translateLanguages(input: { target_language: string; source_language?: string | null }) {
  const source = namedLanguage(input.source_language)
  return {
    SourceLanguageCode: source === null ? 'auto' : nearestLanguage(source, KNOWN),
    TargetLanguageCode: nearestLanguage(languageTag(input.target_language), KNOWN),
  }
}
