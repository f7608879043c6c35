import { Problem, problem } from '../contract/problems.ts'
import type { ValidationIssue } from '../schema/validation-issue.ts'
import type { Egress, EgressRequest, EgressResponse } from '../net/egress/guarded-fetch.ts'
import { EgressFailed, EgressRefused } from '../net/egress/refusal.ts'

// Addresses that callers hand in. Whatever is wrong with one, they are told the same sentence.

export type CallerUrls = {
  /** For an address that will be called later: looked at, and its name resolved, when it is handed in. */
  admit(url: string, loc: ValidationIssue['loc']): Promise<void>
  /** Takes all of a body that `get` gave; it may still turn out too large or too slow. */
  read<Taken>(body: Body, loc: ValidationIssue['loc'], take: (body: Body) => Promise<Taken>): Promise<Taken>
  /** Gets a file from an address; what cannot be had is the caller's fault, at this place. */
  get(
    request: Pick<EgressRequest, 'url' | 'maxBytes' | 'timeoutMs' | 'signal'>,
    loc: ValidationIssue['loc'],
  ): Promise<EgressResponse>
}

type Body = AsyncIterable<Uint8Array>

export function openCallerUrls(egress: Egress): CallerUrls {
  return {
    admit: async (text, loc) => {
      const url = egress.check(text, loc)
      // A name that nobody knows just now may be known when it is called, and is judged again then.
      await withRequestPath(loc, () => egress.resolve(url).catch(unlessFailed))
    },
    read: (body, loc, take) => withRequestPath(loc, () => take(body)),
    get: (request, loc) =>
      withRequestPath(loc, () => egress.fetch({ method: 'GET', headers: {}, body: null, redirects: 3, ...request })),
  }
}

function unlessFailed(error: unknown): void {
  if (!(error instanceof EgressFailed)) throw error
}

async function withRequestPath<T>(loc: ValidationIssue['loc'], act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof Problem || !(error instanceof EgressRefused || error instanceof EgressFailed)) throw error
    throw problem('validation_error', {
      message: error.message,
      detail: [{ loc, msg: error.message, type: 'value_error' }],
    })
  }
}
