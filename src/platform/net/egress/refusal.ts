import { type Loc, valueError } from '../../../base/schema/issue-messages.ts'
import { ProxyFailure } from '../proxy/proxy-failure.ts'
import { type Problem, problem } from '../../../contract/problems.ts'

// There is one sentence for every URL that cannot be used, whatever the reason: a caller who could distinguish a refused
// address from a closed port could scan the gateway's network.

const UNREACHABLE = 'This address cannot be reached from here.'

type RefusalReason = 'url' | 'scheme' | 'userinfo' | 'port' | 'name' | 'address' | 'peer' | 'redirect'

/** The guard refused the URL, and trying again does not help. The reason is in `cause`, only for the operator's log. */
export class EgressRefused extends Error {
  override readonly name = 'EgressRefused'
  constructor(reason: RefusalReason) {
    super(UNREACHABLE, { cause: reason })
  }
}

export type FailedKind = 'unreachable' | 'timeout' | 'too_large' | 'compressed' | 'proxy'

/** The URL was allowed, but no complete answer came. `cause` has a system error's code or what the proxy did, never an address. */
export class EgressFailed extends Error {
  override readonly name = 'EgressFailed'
  readonly kind: FailedKind
  constructor(kind: FailedKind, code?: string) {
    super(UNREACHABLE, { cause: code })
    this.kind = kind
  }
}

/** The problem for a caller that submits a URL that the guard refuses. */
export function refusedUrl(loc: Loc): Problem {
  const param = loc.slice(1).join('.')
  return problem('validation_error', { message: UNREACHABLE, param, detail: [valueError(loc, UNREACHABLE)] })
}

/** Converts an error of a resolver, a socket or the HTTP parser. */
export function failureOf(error: unknown): EgressRefused | EgressFailed {
  if (error instanceof EgressRefused || error instanceof EgressFailed) return error
  if (error instanceof ProxyFailure) return new EgressFailed('proxy', error.message)
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? 'unknown'
  return new EgressFailed(TIMEOUT_CODES.includes(code) ? 'timeout' : 'unreachable', code)
}

const TIMEOUT_CODES = ['ETIMEDOUT', 'ETIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']
