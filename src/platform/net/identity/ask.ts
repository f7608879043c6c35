import { kindOfStatus, UpstreamProblem } from '../../../translation/wire/upstream-problem.ts'
import { GATEWAY_OWNER, type Send, type WireRequest, type WireResponse } from '../../../translation/wire/wire.ts'
import { readText } from '../read-text.ts'

const SERVER_TIMEOUTS = { connectMs: 5_000, headersMs: 10_000, idleMs: 10_000 }
/** A metadata server is on the machine or next to it. Where there is none, nothing answers. */
const MACHINE_TIMEOUTS = { connectMs: 1_000, headersMs: 5_000, idleMs: 5_000 }
/** For all requests that one token or key needs. */
const TOTAL_MS = 15_000
const MAX_BYTES = 64 * 1024

/** `machine` never goes through a proxy, which would hand out the identity of another machine. */
export type Way = 'machine' | 'server'
export type Answer = Pick<WireResponse, 'status' | 'headers'> & { text: string }
/** Sends a small request of the gateway itself. */
export type Ask = (request: WireRequest, way: Way) => Promise<Answer>

/** The two ways out: through the operator's proxies, and without any. */
export type Senders = { send: Send; sendDirectly: Send }

export function askWith({ send, sendDirectly }: Senders): Ask {
  const signal = AbortSignal.timeout(TOTAL_MS)
  return async (request, way) => {
    const timeouts = way === 'machine' ? MACHINE_TIMEOUTS : SERVER_TIMEOUTS
    const sendThere = way === 'machine' ? sendDirectly : send
    const { status, headers, body } = await sendThere(request, { signal, timeouts, owner: GATEWAY_OWNER })
    return { status, headers, text: await readText(body, MAX_BYTES) }
  }
}

/** A server that is busy or failing has said nothing about the credential. */
export function refusal({ status }: Pick<Answer, 'status'>): UpstreamProblem {
  if (status === 429 || status >= 500)
    return new UpstreamProblem(kindOfStatus(status), 'no access token could be fetched', { status })
  return new UpstreamProblem('auth', 'the token endpoint refused the credential', { status })
}
