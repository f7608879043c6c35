import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { beforeEach, describe, test } from 'node:test'
import type { Caller } from '../access/caller.ts'
import type { JwtIssuer } from '../../platform/config/auth/auth.ts'
import { StoreUnavailable } from '../../platform/store/database.ts'
import {
  ISSUER,
  jwtEntry,
  newKey,
  signedBy,
  signedWithSecret,
  type TestKey,
  unsigned,
  usualKey,
} from './fixtures/fake-issuer.ts'
import { IssuerKeys } from './issuer-keys.ts'
import { JwtCallers, NOT_OURS } from './jwt-callers.ts'
import type { TokenIdentity } from './map-token.ts'

const NOW = 1_800_000_000_000
const SECONDS = NOW / 1000
const RSA = usualKey()
const CURVE = newKey('ES256')
const EDWARDS = newKey('EdDSA')
const STRANGER = newKey('ES256')
const SENDER = { clientAddress: '192.0.2.1' }
const CLAIMS = { iss: ISSUER, aud: 'gatehouse', sub: 'ada', exp: SECONDS + 600, iat: SECONDS }

let clock: { now: number; monotonic: number; version: number }
let issuer: { keys: TestKey[]; reads: number; isAway: boolean }
let refuses: (identity: TokenIdentity) => boolean
let asked: TokenIdentity[]

beforeEach(() => {
  clock = { now: NOW, monotonic: 0, version: 1 }
  issuer = { keys: [RSA, CURVE, EDWARDS], reads: 0, isAway: false }
  refuses = () => false
  asked = []
})

describe('a token of an issuer that the config file names', () => {
  for (const key of [RSA, CURVE, EDWARDS])
    test(`is accepted with ${key.alg}`, async () => {
      const caller = await open().find(signedBy(key, { claims: CLAIMS }), SENDER)
      assert.equal((caller as Caller).owner, 'research')
    })

  test('is asked for once, and then answered from memory, without a promise, until it expires', async () => {
    const callers = open()
    const token = signedBy(RSA, { claims: CLAIMS })
    const first = await callers.find(token, SENDER)
    assert.equal(callers.find(token, SENDER), first)
    assert.deepEqual([asked.length, issuer.reads], [1, 1])
    clock.now = (CLAIMS.exp + 60) * 1000 - 1
    assert.equal(callers.find(token, SENDER), first)
    clock.now += 1
    assert.equal(await callers.find(token, SENDER), undefined)
  })

  test('is asked for again after a project or a user has changed', async () => {
    const callers = open()
    const token = signedBy(RSA, { claims: CLAIMS })
    await callers.find(token, SENDER)
    refuses = () => true
    clock.version++
    assert.equal(await callers.find(token, SENDER), undefined)
    assert.equal(callers.find(token, SENDER), undefined)
    assert.equal(asked.length, 2)
  })

  test('stays accepted while the store is away, if it was known; otherwise it is "try again"', async () => {
    const callers = open()
    const token = signedBy(RSA, { claims: CLAIMS })
    const first = await callers.find(token, SENDER)
    refuses = () => {
      throw new StoreUnavailable('away')
    }
    clock.version++
    assert.equal(await callers.find(token, SENDER), first)
    const other = signedBy(RSA, { claims: { ...CLAIMS, sub: 'eve' } })
    await assert.rejects(async () => callers.find(other, SENDER), { code: 'unavailable' })
  })

  test('can be asked for later by what was written down of it, until it ends, or its key or its user is gone', async () => {
    const callers = open()
    const token = signedBy(RSA, { claims: CLAIMS })
    assert.equal(callers.held(token), undefined)
    const first = await callers.find(token, SENDER)
    const held = callers.held(token)!
    assert.ok(!JSON.stringify(held).includes(token.split('.')[2]!))
    assert.deepEqual(await callers.callerOf(held), first)
    refuses = () => true
    assert.equal(await callers.callerOf(held), undefined)
    refuses = () => false
    issuer.keys = [CURVE]
    clock.monotonic = 600_000
    await callers.callerOf(held)
    await settled()
    assert.equal(await callers.callerOf(held), undefined)
    issuer.keys = [RSA]
    clock.monotonic = 1_200_000
    assert.deepEqual(await callers.callerOf(held), first)
    clock.now = held.until
    assert.equal(await callers.callerOf(held), undefined)
  })

  test('is refused from the moment when its key is not listed any more', async () => {
    const callers = open()
    const token = signedBy(RSA, { claims: CLAIMS })
    await callers.find(token, SENDER)
    issuer.keys = [CURVE]
    clock.monotonic += 600_000
    await callers.find(signedBy(CURVE, { claims: CLAIMS }), SENDER)
    await settled()
    assert.equal(await callers.find(token, SENDER), undefined)
  })
})

const BAD: Record<string, () => string> = {
  'another issuer that signs for ours': () => signedBy(STRANGER, { claims: CLAIMS }),
  'a changed signature': () => tampered(signedBy(RSA, { claims: CLAIMS })),
  'a changed claim': () => withClaims(signedBy(RSA, { claims: CLAIMS }), { ...CLAIMS, sub: 'root' }),
  'alg none': () => unsigned({ header: { kid: RSA.kid }, claims: CLAIMS }),
  'alg none with a signature': () => `${unsigned({ header: { kid: RSA.kid }, claims: CLAIMS })}c2ln`,
  'HS256 with the public key as its secret (PEM)': () => confused('pem'),
  'HS256 with the public key as its secret (JWK)': () => confused('jwk'),
  'RS256 that names the key of ES256': () => signedBy(RSA, { header: { kid: CURVE.kid }, claims: CLAIMS }),
  'ES256 with a key of RSA': () => signedBy(CURVE, { header: { kid: RSA.kid }, claims: CLAIMS }),
  RS384: () => signedBy(RSA, { header: { alg: 'RS384' }, claims: CLAIMS }),
  'a header that demands an extension': () => signedBy(RSA, { header: { crit: ['exp'] }, claims: CLAIMS }),
  'a key inside of the token': () => signedBy(STRANGER, { header: { jwk: STRANGER.jwk }, claims: CLAIMS }),
  'another audience': () => signedBy(RSA, { claims: { ...CLAIMS, aud: ['other'] } }),
  'no audience': () => signedBy(RSA, { claims: { ...CLAIMS, aud: undefined } }),
  'no expiry': () => signedBy(RSA, { claims: { ...CLAIMS, exp: undefined } }),
  'an expiry that is a text': () => signedBy(RSA, { claims: { ...CLAIMS, exp: String(CLAIMS.exp) } }),
  'an expiry more than a minute ago': () => signedBy(RSA, { claims: { ...CLAIMS, exp: SECONDS - 60 } }),
  'a beginning in more than a minute': () => signedBy(RSA, { claims: { ...CLAIMS, nbf: SECONDS + 61 } }),
  'an issue in more than a minute': () => signedBy(RSA, { claims: { ...CLAIMS, iat: SECONDS + 61 } }),
  'no subject': () => signedBy(RSA, { claims: { ...CLAIMS, sub: undefined } }),
}

describe('a token is refused because of', () => {
  for (const [what, token] of Object.entries(BAD))
    test(what, async () => {
      const found = await open().find(token(), SENDER)
      assert.ok(found === undefined || found === NOT_OURS)
      assert.deepEqual(asked, [])
    })

  test('its age, whatever its expiry says', async () => {
    const young = { ...CLAIMS, iat: SECONDS - 300 }
    const old = { ...CLAIMS, iat: SECONDS - 361 }
    const callers = open([jwtEntry({ maxAgeSeconds: 300 })])
    assert.ok(await callers.find(signedBy(RSA, { claims: young }), SENDER))
    assert.equal(await callers.find(signedBy(RSA, { claims: old }), SENDER), undefined)
    assert.equal(await callers.find(signedBy(RSA, { claims: { ...CLAIMS, iat: undefined } }), SENDER), undefined)
  })
})

test('clocks may differ by a minute', async () => {
  const callers = open()
  assert.ok(await callers.find(signedBy(RSA, { claims: { ...CLAIMS, exp: SECONDS - 59 } }), SENDER))
  assert.ok(await callers.find(signedBy(RSA, { claims: { ...CLAIMS, nbf: SECONDS + 60 } }), SENDER))
})

test('a token of an issuer that is not configured may be an imported key', async () => {
  assert.equal(await open().find(signedBy(RSA, { claims: { ...CLAIMS, iss: 'https://other.test' } }), SENDER), NOT_OURS)
  assert.equal(open([]).find(signedBy(RSA, { claims: CLAIMS }), SENDER), NOT_OURS)
  assert.equal(open().find('gate_live_x', SENDER), NOT_OURS)
})

describe('the keys of an issuer', () => {
  test('are read again for an unknown key, but not more often than every 30 seconds', async () => {
    const callers = open()
    await callers.find(signedBy(RSA, { claims: CLAIMS }), SENDER)
    const next = newKey('EdDSA', 'next')
    issuer.keys = [next]
    const token = signedBy(next, { claims: CLAIMS })
    clock.monotonic += 29_999
    assert.equal(await callers.find(token, SENDER), undefined)
    assert.equal(issuer.reads, 1)
    clock.monotonic += 1
    assert.ok(await callers.find(token, SENDER))
    assert.equal(issuer.reads, 2)
  })

  test('are read once for many tokens of unknown keys', async () => {
    const callers = open()
    await callers.find(signedBy(RSA, { claims: CLAIMS }), SENDER)
    clock.monotonic += 30_000
    const tokens = Array.from({ length: 50 }, (_, index) =>
      signedBy(STRANGER, { header: { kid: `k${index}` }, claims: CLAIMS }),
    )
    await Promise.all(tokens.map((token) => callers.find(token, SENDER)))
    assert.equal(issuer.reads, 2)
  })

  test('are read in the background every ten minutes while tokens arrive', async () => {
    const callers = open()
    await callers.find(signedBy(RSA, { claims: CLAIMS }), SENDER)
    clock.monotonic += 600_000
    assert.ok(await callers.find(signedBy(RSA, { claims: { ...CLAIMS, sub: 'eve' } }), SENDER))
    assert.equal(issuer.reads, 2)
  })

  test('stay in use for a day while the issuer is away', async () => {
    const callers = open()
    await callers.find(signedBy(RSA, { claims: CLAIMS }), SENDER)
    issuer.isAway = true
    clock.monotonic += 86_399_999
    assert.ok(await callers.find(signedBy(RSA, { claims: { ...CLAIMS, sub: 'eve' } }), SENDER))
    clock.monotonic += 30_001
    await assert.rejects(async () => callers.find(signedBy(RSA, { claims: { ...CLAIMS, sub: 'bob' } }), SENDER), {
      code: 'unavailable',
    })
  })

  test('that were never read make no token wrong: it is "try again"', async () => {
    issuer.isAway = true
    await assert.rejects(async () => open().find(signedBy(RSA, { claims: CLAIMS }), SENDER), { code: 'unavailable' })
  })

  test('may be listed without names: a token without one is accepted if one key can be meant', async () => {
    issuer.keys = [RSA, CURVE]
    assert.ok(await open().find(signedBy(RSA, { header: { kid: undefined }, claims: CLAIMS }), SENDER))
    issuer.keys = [RSA, newKey('RS256', 'second')]
    assert.equal(await open().find(signedBy(RSA, { header: { kid: undefined }, claims: CLAIMS }), SENDER), undefined)
  })
})

describe('a flood of tokens', () => {
  test('with wrong signatures: each is checked once, and others are served meanwhile', async () => {
    const callers = open()
    const wrong = Array.from({ length: 300 }, (_, index) =>
      tampered(signedBy(EDWARDS, { claims: { ...CLAIMS, index } })),
    )
    const flood = wrong.map((token) => callers.find(token, SENDER))
    const other = await callers.find(signedBy(RSA, { claims: CLAIMS }), { clientAddress: '198.51.100.7' })
    assert.ok(other)
    assert.deepEqual(new Set(await Promise.all(flood)), new Set([undefined]))
    // A token that was refused is answered at once.
    assert.equal(callers.find(wrong[0]!, SENDER), undefined)
  })

  test('beyond the queue of one address is told to try again', async () => {
    const callers = open()
    await callers.find(signedBy(RSA, { claims: CLAIMS }), SENDER)
    const wrong = Array.from({ length: 600 }, (_, index) =>
      tampered(signedBy(EDWARDS, { claims: { ...CLAIMS, index } })),
    )
    const results = await Promise.allSettled(wrong.map((token) => callers.find(token, SENDER)))
    const codes = results.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))
    assert.deepEqual(new Set(codes), new Set(['unavailable']))
  })
})

function open(entries: readonly JwtIssuer[] = [jwtEntry()]): JwtCallers {
  const keys = new IssuerKeys({ read: readKeys, monotonic: () => clock.monotonic, failed: () => {} })
  const callers = new JwtCallers({
    now: () => clock.now,
    monotonic: () => clock.monotonic,
    keysOf: () => keys,
    callers: { version: () => clock.version, callerFor },
  })
  callers.replace(entries)
  return callers
}

async function readKeys(): Promise<unknown> {
  issuer.reads++
  if (issuer.isAway) throw new Error('away')
  return { keys: issuer.keys.map(({ jwk }) => jwk) }
}

async function callerFor(identity: TokenIdentity, expiresAt: number): Promise<Caller | undefined> {
  asked.push(identity)
  if (refuses(identity)) return undefined
  return { keyId: identity.subject, owner: identity.project, expiresAt } as Caller
}

function tampered(token: string): string {
  const [head, body, signature] = token.split('.')
  return `${head}.${body}.${signature!.startsWith('A') ? 'B' : 'A'}${signature!.slice(1)}`
}

function withClaims(token: string, claims: unknown): string {
  const [head, , signature] = token.split('.')
  return `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`
}

function confused(form: 'pem' | 'jwk'): string {
  const publicKey = createPublicKey(RSA.privateKey)
  const secret = form === 'jwk' ? JSON.stringify(RSA.jwk) : publicKey.export({ type: 'spki', format: 'pem' })
  return signedWithSecret(String(secret), { header: { kid: RSA.kid }, claims: CLAIMS })
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
