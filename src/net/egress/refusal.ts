import { type Loc, valueError } from '../../schema/issue-messages.ts'
import { type Problem, problem } from '../../contract/problems.ts'

// One sentence for every address that cannot be used, whatever the reason: a caller who could tell a refused address
// from a closed port would have a scanner of the network that the gateway stands in.

export const UNREACHABLE = 'This address cannot be reached from here.'

export type RefusalReason = 'url' | 'scheme' | 'userinfo' | 'port' | 'name' | 'address' | 'peer' | 'redirect'

/** The guard said no; trying again does not help. Its reason stands in `cause`, for the operator's log only. */
export class EgressRefused extends Error {
  override readonly name = 'EgressRefused'
  constructor(reason: RefusalReason) {
    super(UNREACHABLE, { cause: reason })
  }
}

export type FailedKind = 'unreachable' | 'timeout' | 'too_large' | 'compressed'

/** The guard had nothing against it, but no whole answer came. `cause` holds a system error's code, never an address. */
export class EgressFailed extends Error {
  override readonly name = 'EgressFailed'
  readonly kind: FailedKind
  constructor(kind: FailedKind, code?: string) {
    super(UNREACHABLE, { cause: code })
    this.kind = kind
  }
}

/** What a caller is told who hands in an address that the guard refuses. */
export function refusedUrl(loc: Loc): Problem {
  const place = loc.slice(1).join('.')
  return problem('validation_error', { message: UNREACHABLE, param: place, detail: [valueError(loc, UNREACHABLE)] })
}

/** Whatever came out of a resolver, a socket or the HTTP parser. */
export function failureOf(error: unknown): EgressRefused | EgressFailed {
  if (error instanceof EgressRefused || error instanceof EgressFailed) return error
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? 'unknown'
  return new EgressFailed(TIMEOUT_CODES.includes(code) ? 'timeout' : 'unreachable', code)
}

const TIMEOUT_CODES = ['ETIMEDOUT', 'ETIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']
