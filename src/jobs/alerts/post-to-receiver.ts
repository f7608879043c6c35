import type { Receiver } from '../../platform/config/alerts/alerts.ts'
import type { Post } from '../webhooks/deliverer.ts'
import { RECEIVER_SCHEME } from '../webhooks/channel.ts'
import { GATEWAY_OWNER, type Send } from '../../translation/wire/wire.ts'
import { receiverRequest } from './receiver-request.ts'

// Messages to the operator's own receivers go out as requests to providers do: through the operator's proxies, and to private
// networks too. A redirect is an answer like others, and is not followed.

const TIMEOUTS = { connectMs: 5_000, headersMs: 15_000, idleMs: 5_000 }

type Needs = { send(): Send; receivers(): readonly Receiver[] }

/** For deliveries whose address names a receiver instead of a URL. */
export function postToReceivers({ send, receivers }: Needs): Post {
  return async ({ url, headers, body }, options) => {
    const receiver = receivers().find(({ name }) => url === RECEIVER_SCHEME + name)
    if (!receiver) throw new UnknownReceiver()
    return await postToReceiver(receiver, { body: body as Uint8Array, headers }, { ...options, send: send() })
  }
}

type Options = { send: Send; timeoutMs: number; signal?: AbortSignal }

/** Returns the status of the answer; the rest of the answer is not read. */
export async function postToReceiver(
  receiver: Receiver,
  message: Parameters<typeof receiverRequest>[1],
  { send, timeoutMs, signal }: Options,
): Promise<{ status: number }> {
  const limit = AbortSignal.timeout(timeoutMs)
  const both = signal ? AbortSignal.any([signal, limit]) : limit
  const request = receiverRequest(receiver, message)
  const { status, body } = await send(request, { signal: both, timeouts: TIMEOUTS, owner: GATEWAY_OWNER })
  await body[Symbol.asyncIterator]().return?.()
  return { status }
}

/** The receiver was removed from the config file after the message was written. */
class UnknownReceiver extends Error {
  override readonly name = 'UnknownReceiver'
}
