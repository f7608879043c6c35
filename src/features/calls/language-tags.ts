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

/** The English name of a language; its code where it has none. */
export function languageName(tag: string): string {
  return localeOf(tag) ? (names().of(tag) ?? tag) : tag
}

let loadedNames: Intl.DisplayNames | undefined

/** Loading them holds the event loop up for 30 ms; most calls need none. */
function names(): Intl.DisplayNames {
  loadedNames ??= new Intl.DisplayNames('en', { type: 'language' })
  return loadedNames
}

function localeOf(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag.replaceAll('_', '-'))
  } catch {
    return undefined
  }
}
