// What the page says about itself in its head.

/** The address that callers use, for samples. Requests of the page itself have relative addresses. */
export const baseUrl = content('base-url')
/** The other listener, if the reader can reach it. */
export const otherUrl = content('other-url')
/** Of the gateway, and so of its guides. */
export const version = content('version')
export const isAdmin = content('listener') === 'admin'

function content(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content ?? ''
}
