import { NoCapacity } from '../../base/fairness/fair-semaphore.ts'
import { type FailureKind, WireFailure } from '../../translation/wire/wire.ts'

const KINDS: Record<string, FailureKind> = {
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'refused',
  ENETUNREACH: 'refused',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  ETIMEDOUT: 'connect_timeout',
  EMFILE: 'exhausted',
  ENFILE: 'exhausted',
}

/** Converts a socket's error to a WireFailure. */
export function toWireFailure(error: Error): WireFailure {
  if (error instanceof WireFailure) return error
  if (error instanceof NoCapacity) return new WireFailure('exhausted', error)
  const code = (error as NodeJS.ErrnoException).code ?? ''
  return new WireFailure(KINDS[code] ?? kindOfTls(code) ?? 'reset', error)
}

function kindOfTls(code: string): FailureKind | undefined {
  return /CERT|^ERR_TLS|^ERR_SSL|^EPROTO|SELF_SIGNED|UNABLE_TO_/.test(code) ? 'tls' : undefined
}
