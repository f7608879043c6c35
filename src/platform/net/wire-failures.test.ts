import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FailureKind, WireFailure } from '../../translation/wire/wire.ts'
import { toWireFailure } from './wire-failures.ts'

const KINDS: Record<string, FailureKind> = {
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'refused',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  ETIMEDOUT: 'connect_timeout',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls',
  CERT_HAS_EXPIRED: 'tls',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls',
  ERR_SSL_WRONG_VERSION_NUMBER: 'tls',
  EPROTO: 'tls',
  EMFILE: 'exhausted',
  ENFILE: 'exhausted',
  '': 'reset',
}

test('what a socket says, in our words, without a word of where it was', () => {
  for (const [code, kind] of Object.entries(KINDS)) {
    const cause = Object.assign(new Error('connect failed 10.0.0.1:443 key=secret'), { code })
    const failure = toWireFailure(cause)
    assert.deepEqual([failure.kind, failure.cause], [kind, cause], code)
    assert.doesNotMatch(failure.message, /10\.0\.0\.1|secret/)
  }
})

test('several addresses that all refuse are one refusal', () => {
  const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
  const all = Object.assign(new AggregateError([refused, refused]), { code: 'ECONNREFUSED' })
  assert.equal(toWireFailure(all).kind, 'refused')
})

test('a WireFailure stays as it is', () => {
  const failure = new WireFailure('protocol')
  assert.equal(toWireFailure(failure), failure)
  assert.equal(toWireFailure(new Error('no code')).kind, 'reset')
})
