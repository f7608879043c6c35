/** A URL in a text. A password may hold an unencoded @, so everything up to the last @ before the path is the user. */
const URL_IN_TEXT =
  /\b(?<scheme>[a-z][a-z0-9+.-]{0,30}:\/\/)(?<user>[^\s"'<>/?#]*@)?(?<place>[^\s"'<>?#]*)(?<rest>[?#][^\s"'<>]*)?/gi

type Parts = { scheme: string; user?: string; place: string; rest?: string }

/** Hides user names, passwords and queries of all URLs in a text that people will see. */
export function maskUrls(text: string): string {
  if (!text.includes('://')) return text
  return text.replace(URL_IN_TEXT, (...match) => masked(match.at(-1) as Parts))
}

function masked({ scheme, user = '', place, rest = '' }: Parts): string {
  return `${scheme}${user && '***@'}${place}${rest && `${rest[0]}***`}`
}
