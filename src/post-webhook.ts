import type { Egress } from './net/egress/guarded-fetch.ts'
import { startOf } from './webhooks/answer-start.ts'
import type { Post } from './webhooks/deliverer.ts'

const MAX_RECEIVER_ANSWER_BYTES = 64 * 1024

/** Webhooks go through the egress guard and never follow a redirect. */
export function postThrough(egress: () => Egress): Post {
  return async (request, { timeoutMs, signal }) => {
    const { status, body } = await egress().fetch({
      ...request,
      maxBytes: MAX_RECEIVER_ANSWER_BYTES,
      timeoutMs,
      signal,
      redirects: 0,
    })
    return { status, start: await startOf(body) }
  }
}
