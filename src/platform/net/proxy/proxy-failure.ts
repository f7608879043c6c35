import { WireFailure } from '../../../translation/wire/wire.ts'
import type { HttpProxy } from './proxy.ts'

/** The proxy did not open the connection. The message names the setting of the operator, never the address. */
export class ProxyFailure extends WireFailure {
  constructor({ setting }: HttpProxy, what: string, cause?: unknown) {
    super('proxy', cause)
    this.message = `the outbound proxy (${setting}) ${what}`
  }
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'refused the connection',
  ENOTFOUND: 'has a name that cannot be resolved',
  EAI_AGAIN: 'has a name that cannot be resolved',
  ETIMEDOUT: 'did not accept a connection in time',
}

/** An error of a socket to the proxy, before the proxy has opened the way to the provider. */
export function proxyFailureOf(proxy: HttpProxy, error: Error): Error {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  // The gateway itself has no file descriptor left, for which the proxy is not to blame.
  if (error instanceof ProxyFailure || code === 'EMFILE' || code === 'ENFILE') return error
  const reason = /CERT|SELF_SIGNED|UNABLE_TO_/.test(code) ? 'has a certificate that is not trusted' : REASONS[code]
  return new ProxyFailure(proxy, reason ?? 'closed the connection', error)
}

export function proxyTooLate(proxy: HttpProxy): ProxyFailure {
  return new ProxyFailure(proxy, 'did not open a connection to the provider in time')
}

/** What the status of the proxy's answer means, for an operator who has to look for the cause. */
export function proxyRefusal(proxy: HttpProxy, status: number): ProxyFailure {
  if (status === 407) return new ProxyFailure(proxy, 'wants a user and a password, or refuses those that are set (407)')
  return new ProxyFailure(proxy, `refused to open a connection to the provider (status ${status})`)
}
