const MAX_NAME_CHARACTERS = 253
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/

/**
 * Names that no public server answers for: special-use names (RFC 6761, 6762, 8375, 9476), and names of internal networks.
 */
const PRIVATE_ENDINGS = [
  'alt',
  'corp',
  'home',
  'home.arpa',
  'internal',
  'intranet',
  'lan',
  'local',
  'localdomain',
  'localhost',
  'onion',
  'private',
  'svc',
]

/** Metadata services with other names. */
const METADATA = ['metadata.goog', 'metadata.packet.net', 'metadata.platformequinix.com', 'metadata.azure.com']

/** Whether a host name may be looked up at all. It comes from the URL parser: lower case, punycode, no trailing dot. */
export function isPublicName(name: string): boolean {
  const labels = name.split('.')
  if (labels.length < 2 || name.length > MAX_NAME_CHARACTERS) return false
  if (!labels.every((label) => LABEL.test(label))) return false
  return ![...PRIVATE_ENDINGS, ...METADATA].some((ending) => name === ending || name.endsWith(`.${ending}`))
}
