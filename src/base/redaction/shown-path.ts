import { maskUrls } from './mask-urls.ts'

const MAX_READ_CHARS = 1_000
const MAX_SHOWN_CHARS = 200
const MASK = '***'
/** What looks like a key of a provider or of ours, or like the value of a header with one. */
const SECRET_LIKE =
  /(?<![a-z0-9])(?:(?:sk|pk|rk|gsk|xai|gate|ghp|hf|r8)[-_][-_a-z0-9.]{6,}|AIza[-_a-z0-9]{8,})|(?:Bearer|Basic)[\s+]+\S+/gi
/** Longer than words and names of models, and not divided like an id. */
const OPAQUE = /(?<![\w-])(?![\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?![\w-]))[\w-]{32,}/gi
/** `name=value` in a path, as in matrix parameters. */
const ASSIGNED = /((?:key|token|secret|password|auth|sig|signature)\w{0,20}=)[^/;,&\s]+/gi
/** `user:password@` in front of a host, as in the target of CONNECT, or anywhere in a path that a client put together wrongly. */
const USER = /^[^/@\s]+@|(?<=\/)[^/@:\s]*:[^/@\s]*@/g

/**
 * What a request asked for, as a log may show it: its path without the query, and without what looks like a secret. Mistaken clients
 * write keys anywhere, also encoded.
 */
export function shownPath(url: string): string {
  const read = url.slice(0, MAX_READ_CHARS)
  const at = read.search(/[?#]/)
  const path = at < 0 ? read : read.slice(0, at)
  const decoded = decode(path)
  const hidden = hide(decoded)
  const shown = hidden === decoded ? path : hidden
  return `${shown.slice(0, MAX_SHOWN_CHARS)}${at < 0 ? '' : `?${MASK}`}`
}

function hide(text: string): string {
  const withoutUsers = maskUrls(text).replace(USER, `${MASK}@`)
  return withoutUsers.replace(ASSIGNED, `$1${MASK}`).replace(SECRET_LIKE, MASK).replace(OPAQUE, MASK)
}

/** A path that cannot be decoded is not worth showing in full. */
function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
