// The page that a person opened before they had to sign in. Only a path of this listener is accepted, because an attacker can
// send a link to the sign-in page with any address in it.

const KEY = 'next'

export function safeNext(text: string | null | undefined): string {
  return text && /^\/(?![/\\])[^\\]*$/.test(text) ? text : '/'
}

/** A sign-in with a provider comes back without the address that it began at. */
export function rememberNext(path: string): void {
  sessionStorage.setItem(KEY, path)
}

/** Returns it once. */
export function takeNext(): string | undefined {
  const found = sessionStorage.getItem(KEY)
  sessionStorage.removeItem(KEY)
  return found === null ? undefined : safeNext(found)
}
