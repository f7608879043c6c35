import type { Span } from '../../engine-api/engines.ts'
import { spansOf } from './spans-of.ts'

// All lengths are bounded, and no two adjacent parts accept the same characters without a bound, so that there is no
// backtracking.

const LABEL = String.raw`[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?`
const EMAIL = new RegExp(
  String.raw`(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}_%+-](?:[\p{L}\p{N}._%+'-]{0,62}[\p{L}\p{N}_%+-])?@(?:${LABEL}\.){1,8}(?:xn--[a-z0-9-]{2,59}|\p{L}{2,24})(?![\p{L}\p{N}-])`,
  'giu',
)
const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const IPV4 = new RegExp(`(?<![\\p{L}\\p{N}.])(?:${OCTET}\\.){3}${OCTET}(?![\\p{L}\\p{N}]|\\.\\d)`, 'gu')
const IPV6 =
  /(?<![\p{L}\p{N}:.])(?:[\da-f]{0,4}:){2,7}(?:(?:\d{1,3}\.){3}\d{1,3}|[\da-f]{1,4})?(?![\p{L}\p{N}]|:[:\p{L}\p{N}])/giu

export function emails(text: string): Span[] {
  return text.includes('@') ? spansOf(text, EMAIL) : []
}

/** The longer form comes first, because it may end in the shorter one. */
export function ipAddresses(text: string): Span[] {
  return [...(text.includes(':') ? spansOf(text, IPV6, isIpv6) : []), ...spansOf(text, IPV4)]
}

/** Eight groups, or fewer with one gap. `a::b` may be an identifier in a program, so at least one digit is required. */
function isIpv6(address: string): boolean {
  const [head, tail, ...more] = address.split('::')
  if (more.length > 0 || !/\d/.test(address) || /^:[^:]|[^:]:$/.test(address)) return false
  const groups = groupsIn(head ?? '') + groupsIn(tail ?? '')
  return tail === undefined ? groups === 8 : groups > 0 && groups < 8
}

function groupsIn(part: string): number {
  if (part === '') return 0
  return part.split(':').length + (part.includes('.') ? 1 : 0)
}
