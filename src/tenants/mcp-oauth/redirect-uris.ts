// Where a program may be sent back to. What a browser would run or read from the disk is none, and neither is plain http, except on the
// machine of the browser itself.

const MAX_CHARS = 500
const NEVER: ReadonlySet<string> = new Set([
  ...[
    'javascript:',
    'data:',
    'vbscript:',
    'file:',
    'blob:',
    'about:',
    'filesystem:',
    'view-source:',
    'ws:',
    'wss:',
    'ftp:',
  ],
])
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost)$/

/** The machine itself. */
export function isLoopback({ hostname }: Pick<URL, 'hostname'>): boolean {
  return LOOPBACK.test(hostname)
}

export function isRedirectUri(text: string): boolean {
  const url = text.length <= MAX_CHARS && !/[\s#\\]/.test(text) ? URL.parse(text) : null
  if (url === null || url.username !== '' || url.password !== '') return false
  if (url.protocol === 'http:') return isLoopback(url)
  return !NEVER.has(url.protocol)
}

/** Exactly, but for the port of a program on the machine of the browser, which it chooses when it starts (RFC 8252). */
export function isRegistered(asked: string, registered: readonly string[]): boolean {
  return (
    isRedirectUri(asked) && registered.some((one) => one === asked || withoutPort(one) === (withoutPort(asked) ?? ''))
  )
}

/** Undefined unless it is on the machine of the browser. */
function withoutPort(text: string): string | undefined {
  const url = URL.parse(text)
  if (url?.protocol !== 'http:' || !isLoopback(url)) return undefined
  url.port = ''
  return url.href
}

/** For people: where the browser goes after the consent. */
export function placeOf(redirectUri: string): string {
  const { protocol, hostname, host } = new URL(redirectUri)
  if (protocol === 'https:') return host
  return isLoopback({ hostname }) ? 'a program on this computer' : `a program that opens ${protocol} links`
}
