/** Which pages may be found and read: those of the allowed domains and their subdomains, without the blocked ones. */
export type Domains = { allowed: readonly string[]; blocked: readonly string[] }

export function isWithin(url: string, { allowed, blocked }: Domains): boolean {
  const parsed = URL.parse(url)
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return false
  const covers = (pattern: string) => isCovered(parsed, pattern)
  return (allowed.length === 0 || allowed.some(covers)) && !blocked.some(covers)
}

/** A domain, or a domain and the beginning of a path: `example.com/blog`. */
function isCovered({ hostname, pathname }: URL, pattern: string): boolean {
  const [domain = '', ...path] = pattern
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/^\*\./, '')
    .split('/')
  const isHost = hostname === domain || hostname.endsWith(`.${domain}`)
  return (
    isHost && pathname.toLowerCase().startsWith(path.length > 0 ? `/${path.join('/')}`.replace(/\/?\*?$/, '') : '/')
  )
}
