import assert from 'node:assert/strict'
import { createPublicKey, createVerify } from 'node:crypto'
import { test } from 'node:test'
import { sharedPrivateKey } from '../../../../test/fakes/signing-key.ts'
import { UpstreamProblem } from '../../../translation/wire/upstream-problem.ts'
import { type Send, WireFailure, type WireRequest } from '../../../translation/wire/wire.ts'
import { AccessTokens } from './access-tokens.ts'
import { HOUR_MS } from '../../../base/units/units.ts'

const privateKey = sharedPrivateKey()
const publicKey = createPublicKey(privateKey)
const ACCOUNT = {
  kind: 'google' as const,
  clientEmail: 'robot@project.iam.gserviceaccount.com',
  privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  tokenUrl: 'https://oauth2.test/token',
}
const NOW = 1_700_000_000_123

test('a statement in the form that Google documents, signed with the key of the account', async () => {
  const { tokens, requests } = tokenEndpoint()
  assert.equal(await tokens.tokenFor(ACCOUNT), 'token-1')
  const { method, url, headers, body } = requests[0]!
  assert.deepEqual([method, url], ['POST', ACCOUNT.tokenUrl])
  assert.equal(headers['content-type'], 'application/x-www-form-urlencoded')
  const form = new URLSearchParams(String(body))
  assert.equal(form.get('grant_type'), 'urn:ietf:params:oauth:grant-type:jwt-bearer')
  const [head, claims, signature] = form.get('assertion')!.split('.') as [string, string, string]
  assert.deepEqual(read(head), { alg: 'RS256', typ: 'JWT' })
  assert.deepEqual(read(claims), {
    iss: ACCOUNT.clientEmail,
    scope: 'https://www.googleapis.com/auth/cloud-platform',
    aud: ACCOUNT.tokenUrl,
    iat: 1_700_000_000,
    exp: 1_700_003_600,
  })
  const verifier = createVerify('RSA-SHA256').update(`${head}.${claims}`)
  assert.equal(verifier.verify(publicKey, signature, 'base64url'), true)
})

test('fetched once, and kept for all but the last two minutes of its hour', async () => {
  const { tokens, clock, requests } = tokenEndpoint()
  await tokens.tokenFor(ACCOUNT)
  clock.now += HOUR_MS - 300_000 - 1
  assert.deepEqual([await tokens.tokenFor(ACCOUNT), requests.length], ['token-1', 1])
  clock.now += 180_001
  assert.deepEqual([await tokens.tokenFor(ACCOUNT), requests.length], ['token-2', 2])
})

test('in its last five minutes it is renewed once, while calls go on with it', async () => {
  const { tokens, clock, requests } = tokenEndpoint()
  await tokens.tokenFor(ACCOUNT)
  clock.now += HOUR_MS - 300_000
  assert.deepEqual(await Promise.all([tokens.tokenFor(ACCOUNT), tokens.tokenFor(ACCOUNT)]), ['token-1', 'token-1'])
  await settled()
  assert.deepEqual([await tokens.tokenFor(ACCOUNT), requests.length], ['token-2', 2])
})

test('a renewal that fails is tried again after ten seconds, and calls go on until the token is too old', async () => {
  const { tokens, clock, replies, requests } = tokenEndpoint()
  await tokens.tokenFor(ACCOUNT)
  clock.now += HOUR_MS - 300_000
  replies.push(new WireFailure('refused'), new WireFailure('refused'))
  for (let call = 0; call < 3; call++) {
    assert.equal(await tokens.tokenFor(ACCOUNT), 'token-1')
    await settled()
  }
  assert.equal(requests.length, 2)
  clock.now += 10_000
  await tokens.tokenFor(ACCOUNT)
  await settled()
  assert.equal(requests.length, 3)
  clock.now += 170_000
  assert.deepEqual([await tokens.tokenFor(ACCOUNT), requests.length], ['token-4', 4])
})

test('a call that comes too late for the old token waits for the renewal that is under way', async () => {
  const { tokens, clock, requests } = tokenEndpoint()
  await tokens.tokenFor(ACCOUNT)
  clock.now += HOUR_MS - 300_000
  const early = tokens.tokenFor(ACCOUNT)
  clock.now += 180_000
  assert.equal(await tokens.tokenFor(ACCOUNT), 'token-2')
  assert.deepEqual([await early, requests.length], ['token-1', 2])
})

test('each account has its own', async () => {
  const { tokens } = tokenEndpoint()
  assert.equal(await tokens.tokenFor(ACCOUNT), 'token-1')
  assert.equal(await tokens.tokenFor({ ...ACCOUNT, clientEmail: 'other@x' }), 'token-2')
  assert.equal(await tokens.tokenFor(ACCOUNT), 'token-1')
})

const IBM = { kind: 'ibm' as const, secret: 'key-of-ibm', tokenUrl: 'https://iam.test/identity/token' }
const SBER = {
  kind: 'gigachat' as const,
  secret: 'a2V5',
  tokenUrl: 'https://ngw.test/oauth',
  scope: 'GIGACHAT_API_B2B',
}

test('a lifetime that is no number is the usual one', async () => {
  const odd = ['{"toString":1}', '[{"valueOf":1}]', '1e999', '"soon"']
  for (const lifetime of odd) {
    const { tokens, replies, clock } = tokenEndpoint()
    replies.push({ status: 200, text: `{"access_token":"of-ibm","expires_in":${lifetime}}` })
    await tokens.tokenFor(IBM)
    clock.now += HOUR_MS - 300_000 - 1
    assert.equal(await tokens.tokenFor(IBM), 'of-ibm', lifetime)
    clock.now += 180_001
    assert.equal(await tokens.tokenFor(IBM), 'token-2', lifetime)
  }
})

test('IBM is shown the key in a form, and says for how many seconds the token is good', async () => {
  const { tokens, requests, replies, clock } = tokenEndpoint()
  replies.push({ status: 200, text: '{"access_token":"of-ibm","expires_in":600}' })
  assert.equal(await tokens.tokenFor(IBM), 'of-ibm')
  const { method, url, body } = requests[0]!
  const form = 'grant_type=urn%3Aibm%3Aparams%3Aoauth%3Agrant-type%3Aapikey&apikey=key-of-ibm'
  assert.deepEqual([method, url, body], ['POST', IBM.tokenUrl, form])
  clock.now += 360_000 - 1
  assert.equal(await tokens.tokenFor(IBM), 'of-ibm')
  clock.now += 120_001
  assert.deepEqual([await tokens.tokenFor(IBM), requests.length], ['token-2', 2])
})

test('Sber is shown it in a header, with a number that is never the same, and says until when the token is good', async () => {
  const { tokens, requests, replies, clock } = tokenEndpoint()
  replies.push({ status: 200, text: JSON.stringify({ access_token: 'of-sber', expires_at: NOW + 1_800_000 }) })
  assert.equal(await tokens.tokenFor(SBER), 'of-sber')
  clock.now += 1_800_000 - 120_000
  assert.equal(await tokens.tokenFor(SBER), 'token-2')
  const [first, second] = requests.map(({ headers }) => headers)
  assert.deepEqual([requests[0]!.body, first!.authorization], ['scope=GIGACHAT_API_B2B', 'Basic a2V5'])
  assert.match(first!.rquid!, /^[0-9a-f]{8}-[0-9a-f]{4}-4/)
  assert.notEqual(first!.rquid, second!.rquid)
})

test('a clock that is wrong does not make every call fetch one', async () => {
  const { tokens, replies, clock } = tokenEndpoint()
  replies.push({ status: 200, text: JSON.stringify({ access_token: 'of-sber', expires_at: NOW - 5_000_000 }) })
  await tokens.tokenFor(SBER)
  clock.now += 1_800_000 - 120_000 - 1
  assert.equal(await tokens.tokenFor(SBER), 'of-sber')
})

test('many concurrent calls share one request; a refused token is replaced', async () => {
  const { tokens, requests } = tokenEndpoint()
  assert.deepEqual(await Promise.all([1, 2, 3].map(() => tokens.tokenFor(IBM))), ['token-1', 'token-1', 'token-1'])
  await tokens.refused(IBM)
  assert.deepEqual([await tokens.tokenFor(IBM), requests.length], ['token-2', 2])
})

test('a token that is refused again and again is replaced once a minute, and many refusals at once ask once', async () => {
  const { tokens, requests, clock } = tokenEndpoint()
  await tokens.tokenFor(IBM)
  await Promise.all([1, 2, 3].map(() => tokens.refused(IBM)))
  for (let time = 0; time < 5; time++) await tokens.refused(IBM)
  assert.deepEqual([await tokens.tokenFor(IBM), requests.length], ['token-2', 2])
  clock.now += 59_999
  await tokens.refused(IBM)
  assert.equal(requests.length, 2)
  clock.now += 1
  await tokens.refused(IBM)
  assert.deepEqual([await tokens.tokenFor(IBM), requests.length], ['token-3', 3])
})

test('while a refused token is being replaced the others go on with it, also when no other can be had', async () => {
  const { tokens, replies, requests } = tokenEndpoint()
  await tokens.tokenFor(IBM)
  replies.push(new WireFailure('refused'))
  const replaced = tokens.refused(IBM)
  assert.equal(await tokens.tokenFor(IBM), 'token-1')
  await replaced
  assert.deepEqual([await tokens.tokenFor(IBM), requests.length], ['token-1', 2])
})

test('a token endpoint that is busy or failing has not refused the key', async () => {
  const { tokens, replies } = tokenEndpoint()
  replies.push({ status: 429, text: '' }, { status: 503, text: '' })
  await assert.rejects(tokens.tokenFor(IBM), { kind: 'rate_limited' })
  await assert.rejects(tokens.tokenFor(IBM), { kind: 'overloaded' })
  assert.equal(await tokens.tokenFor(IBM), 'token-3')
})

test('no more than a thousand are kept: the oldest goes', async () => {
  const { tokens, requests } = tokenEndpoint()
  for (let number = 0; number <= 1_000; number++) await tokens.tokenFor({ ...IBM, secret: `key-${number}` })
  await tokens.tokenFor({ ...IBM, secret: 'key-1' })
  assert.equal(requests.length, 1_001)
  await tokens.tokenFor({ ...IBM, secret: 'key-0' })
  assert.equal(requests.length, 1_002)
})

const REFUSALS: Record<string, { status: number; text: string }> = {
  'a refusal': { status: 400, text: '{"error":"invalid_grant"}' },
  'an answer without a token': { status: 200, text: '{}' },
  'an empty token': { status: 200, text: '{"access_token":""}' },
  HTML: { status: 200, text: '<!doctype html>' },
}

for (const [what, refusal] of Object.entries(REFUSALS)) {
  test(`${what} is a refused credential, reported without the account, and not cached`, async () => {
    const { tokens, replies } = tokenEndpoint()
    replies.push(refusal)
    await assert.rejects(tokens.tokenFor(ACCOUNT), (error: UpstreamProblem) => {
      return error instanceof UpstreamProblem && error.kind === 'auth' && !error.message.includes(ACCOUNT.clientEmail)
    })
    assert.equal(await tokens.tokenFor(ACCOUNT), 'token-2')
  })
}

test('a token endpoint that cannot be reached is a failure of the wire, and the next call tries again', async () => {
  const { tokens, replies } = tokenEndpoint()
  replies.push(new WireFailure('refused'))
  await assert.rejects(tokens.tokenFor(ACCOUNT), { kind: 'refused' })
  assert.equal(await tokens.tokenFor(ACCOUNT), 'token-2')
})

type Reply = { status: number; text: string } | Error

/** A token endpoint that hands out numbered tokens; `replies` come first. */
function tokenEndpoint() {
  const requests: WireRequest[] = []
  const replies: Reply[] = []
  const clock = { now: NOW }
  const send: Send = async (request) => {
    const number = requests.push(request)
    const reply = replies.shift() ?? { status: 200, text: JSON.stringify({ access_token: `token-${number}` }) }
    if (reply instanceof Error) throw reply
    return { status: reply.status, headers: {}, body: bodyOf(reply.text) }
  }
  return {
    tokens: new AccessTokens({ send, sendDirectly: send }, { now: () => clock.now, monotonic: () => clock.now - NOW }),
    requests,
    replies,
    clock,
  }
}

/** Resolves when everything has been done that waits for nothing else. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

async function* bodyOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

function read(part: string): unknown {
  return JSON.parse(Buffer.from(part, 'base64url').toString())
}
