import { Problem, problem } from '../../contract/problems.ts'
import type { ValidationIssue } from '../../base/schema/validation-issue.ts'
import type { Egress, EgressRequest, EgressResponse } from '../../platform/net/egress/guarded-fetch.ts'
import { EgressFailed, EgressRefused } from '../../platform/net/egress/refusal.ts'

// URLs from callers. The caller gets the same message for every reason why a URL cannot be fetched.

export type CallerUrls = {
  /** Checks a URL that will be called later, and resolves its name. */
  checkForLater(url: string, loc: ValidationIssue['loc']): Promise<void>
  /** Reads a body that `get` returned. It may still turn out to be too large or too slow. */
  read<Taken>(body: Body, loc: ValidationIssue['loc'], take: (body: Body) => Promise<Taken>): Promise<Taken>
  /** Fetches a file. If that fails, the caller gets a validation error at this location. */
  get(
    request: Pick<EgressRequest, 'url' | 'maxBytes' | 'timeoutMs' | 'signal'>,
    loc: ValidationIssue['loc'],
  ): Promise<EgressResponse>
}

type Body = AsyncIterable<Uint8Array>

export function openCallerUrls(egress: Egress): CallerUrls {
  return {
    checkForLater: async (text, loc) => {
      const url = egress.check(text, loc)
      // A name that cannot be resolved now may be resolvable later. It is checked again when it is called.
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
