// Where somebody wanted to go who had to sign in first. Only a path of this listener is believed, because anybody can write a
// link to the page for signing in.

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
