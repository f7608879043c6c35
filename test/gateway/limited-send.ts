import type { Send, WireTimeouts, WireRequest } from '../../src/translation/wire/wire.ts'
import { openUpstream } from '../../src/platform/net/upstream.ts'

/** Long enough for a provider that does answer, however busy the machine is. */
export const LONG_MS = 600_000
export const ANSWERS: WireTimeouts = { headersMs: LONG_MS, idleMs: LONG_MS }

/** The network with limits that a test sets per request: only a provider that is supposed to time out gets short ones. */
export function openLimitedSend(limitsFor: (request: WireRequest) => WireTimeouts | undefined) {
  const upstream = openUpstream()
  const send: Send = (request, options) =>
    upstream.send(request, { ...options, timeouts: limitsFor(request) ?? ANSWERS })
  return { send, close: upstream.close }
}
