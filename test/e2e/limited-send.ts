import type { Send, WireLimits, WireRequest } from '../../src/wire/wire.ts'
import { openUpstream } from '../../src/net/upstream.ts'

/** However busy the machine is, a provider that does answer is not too late. */
export const LONG_MS = 600_000
export const ANSWERS: WireLimits = { headersMs: LONG_MS, idleMs: LONG_MS }

/** The network with limits that a test sets per request: only a provider that is to be given up gets short ones. */
export function openLimitedSend(limitsFor: (request: WireRequest) => WireLimits | undefined) {
  const upstream = openUpstream()
  const send: Send = (request, options) => upstream.send(request, { ...options, limits: limitsFor(request) ?? ANSWERS })
  return { send, close: upstream.close }
}
