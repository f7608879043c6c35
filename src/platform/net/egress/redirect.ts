import type { WireRequest, WireResponse } from '../../../translation/wire/wire.ts'
import { EgressRefused } from './refusal.ts'

const REDIRECTS = [301, 302, 303, 307, 308]

/** The headers that another origin may see. The others, credentials above all, were meant for the first origin. */
const HARMLESS_HEADERS = ['accept', 'accept-language', 'user-agent']

/** The target of a redirect, or undefined if the answer is not one. The target has to pass all checks again. */
export function redirectTarget({ status, headers }: WireResponse, from: URL): URL | undefined {
  const { location } = headers
  if (!REDIRECTS.includes(status) || location === undefined) return
  const target = typeof location === 'string' ? URL.parse(location, from.href) : null
  if (!target) throw new EgressRefused('redirect')
  if (from.protocol === 'https:' && target.protocol !== 'https:') throw new EgressRefused('redirect')
  return target
}

export function headersFor(target: URL, from: URL, headers: WireRequest['headers']): WireRequest['headers'] {
  if (target.origin === from.origin) return headers
  return Object.fromEntries(Object.entries(headers).filter(([name]) => HARMLESS_HEADERS.includes(name.toLowerCase())))
}
