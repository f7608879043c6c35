import { isRecord } from '../../../base/schema/record.ts'
import { maskUrls } from '../../../base/redaction/mask-urls.ts'

/** Settings, members of the config file, variables and headers with such a name hold a secret, or a part of a credential. */
const SECRET_NAME = /(?:key|secret|token|password|passphrase|authorization|cookie|credential)s?(?:[_-]?ids?)?$/i
/** Names that end like a secret but are none: public keys, and the members that only name a variable or a header. */
const HARMLESS_NAME = /public.?keys?$/i
const SECRET_LIKE =
  /\b(?:sk|pk|gsk|xai|AIza|gate)[-_A-Za-z0-9]{8,}|\b(?:AKIA|ASIA)[A-Z0-9]{12,}|\b(?:Bearer|Basic)\s+\S+|-----BEGIN [^-]*PRIVATE KEY-----[\s\S]*/g
/** `user:password@host` without a scheme. */
const USER_WITHOUT_SCHEME = /(^|[\s,])[^\s,/@]+:[^\s,/]*@/g
const MASK = '***'
/** Secrets of this length can show their end, which tells operators which of their keys it is. */
const LONG_CHARS = 16
const SHOWN_CHARS = 4

/** A value of the configuration as operators may see it. `path` are the names that lead to it. */
export function shownValue(path: readonly string[], value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => shownValue(path, item))
  if (isRecord(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shownValue([...path, name], item)]))
  }
  if (typeof value !== 'string') return value
  if (isReceiverUrl(path)) return `${URL.parse(value)?.origin ?? ''}/${MASK}`
  return isSecret(path) ? shownSecrets(value) : shownText(value)
}

function isSecret(path: readonly string[]): boolean {
  const name = path.at(-1) ?? ''
  const isHeader = path.slice(0, -1).some((one) => /^(?:extra_|default_)?headers$/i.test(one))
  return isHeader || (SECRET_NAME.test(name) && !HARMLESS_NAME.test(name))
}

/** The path of a receiver's address is a secret: it is all that is needed to post there. */
function isReceiverUrl(path: readonly string[]): boolean {
  return path[0] === 'alerts' && path[1] === 'receivers' && path.at(-1) === 'url'
}

/** Several secrets may be in one text, separated by commas. */
function shownSecrets(text: string): string {
  return text
    .split(',')
    .map((one) => one.trim())
    .map((one) => (one.length >= LONG_CHARS ? `${MASK}${one.slice(-SHOWN_CHARS)}` : MASK))
    .join(',')
}

/** A password may contain a comma, so the whole text is masked first, and then the parts of a list of addresses. */
function shownText(text: string): string {
  const withoutKeys = text.replace(SECRET_LIKE, MASK)
  const parts = maskUrls(withoutKeys).split(',')
  return parts.map(maskUrls).join(',').replace(USER_WITHOUT_SCHEME, `$1${MASK}@`)
}
