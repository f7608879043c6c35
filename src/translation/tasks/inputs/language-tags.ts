// Language tags in the forms that providers need. Null stands for a language that is not known.

/** `pt-BR` becomes `pt`. */
export function primaryLanguage(tag: string | null): string | null {
  return tag?.split(/[-_]/)[0]?.toLowerCase() ?? null
}

/** `pt` becomes `pt-BR`: the region with most of the speakers. */
export function regionalLanguage(tag: string | null): string | null {
  if (tag === null) return null
  const locale = localeOf(tag)
  if (!locale) return tag
  return `${locale.language}-${locale.region ?? locale.maximize().region ?? ''}`.replace(/-$/, '')
}

/**
 * For a provider that knows regions and scripts of a few languages only: the tag if the provider knows it, or else the bare
 * language. Chinese is distinguished by script.
 */
export function nearestLanguage(tag: string, supported: readonly string[]): string {
  const exact = supported.find((one) => one.toLowerCase() === tag.toLowerCase())
  return exact ?? supported.find((one) => isSameChinese(one, tag)) ?? primaryLanguage(tag)!
}

function isSameChinese(one: string, other: string): boolean {
  const [first, second] = [one, other].map((tag) => localeOf(tag)?.maximize())
  return first?.language === 'zh' && second?.language === 'zh' && first.script === second.script
}

/** The English name of a language, or its code if it has none. */
export function languageName(tag: string): string {
  // Created on first use, because it takes longer than loading this whole module.
  names ??= new Intl.DisplayNames('en', { type: 'language' })
  return localeOf(tag) ? (names.of(tag) ?? tag) : tag
}

let names: Intl.DisplayNames | undefined

function localeOf(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag.replaceAll('_', '-'))
  } catch {
    return undefined
  }
}
