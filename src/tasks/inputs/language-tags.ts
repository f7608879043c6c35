// Language tags as providers want them. Who cannot find a language out is told so by a null.

/** `pt` of `pt-BR`. */
export function primaryLanguage(tag: string | null): string | null {
  return tag?.split(/[-_]/)[0]?.toLowerCase() ?? null
}

/** `pt-BR` of `pt`: the tag with the region where most of its speakers live. */
export function regionalLanguage(tag: string | null): string | null {
  if (tag === null) return null
  const locale = localeOf(tag)
  if (!locale) return tag
  return `${locale.language}-${locale.region ?? locale.maximize().region ?? ''}`.replace(/-$/, '')
}

/**
 * For a provider that knows regions and scripts of a few languages only: the tag as it is known there, or else the bare
 * language. Chinese is told apart by its script, wherever it is written.
 */
export function nearestLanguage(tag: string, known: readonly string[]): string {
  const exact = known.find((one) => one.toLowerCase() === tag.toLowerCase())
  return exact ?? known.find((one) => isSameChinese(one, tag)) ?? primaryLanguage(tag)!
}

function isSameChinese(one: string, other: string): boolean {
  const [first, second] = [one, other].map((tag) => localeOf(tag)?.maximize())
  return first?.language === 'zh' && second?.language === 'zh' && first.script === second.script
}

/** The English name of a language; its code where it has none. */
export function languageName(tag: string): string {
  // Made when it is first needed: it takes longer than loading all of this room.
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
