/**
 * An address in a text: a scheme, what stands before the host, the host with its path, and what follows. A password may
 * hold an @ that nobody encoded, so everything up to the last one before the path counts.
 */
const ADDRESS = /\b([a-z][a-z0-9+.-]{0,30}:\/\/)([^\s"'<>/?#]*@)?([^\s"'<>?#]*)([?#][^\s"'<>]*)?/gi

/** A text that people will see, without what the addresses in it hold of secrets: user names, passwords, queries. */
export function maskUrls(text: string): string {
  if (!text.includes('://')) return text
  return text.replace(ADDRESS, (_, scheme: string, user = '', place = '', rest = '') => {
    return `${scheme}${user && '***@'}${place}${rest && `${rest[0]}***`}`
  })
}
