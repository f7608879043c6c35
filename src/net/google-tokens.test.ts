import assert from 'node:assert/strict'
import { createVerify, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { UpstreamProblem } from '../contract/upstream-problem.ts'
import { type Send, WireFailure, type WireRequest } from '../contract/wire.ts'
import { GoogleTokens } from './google-tokens.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ACCOUNT = {
  clientEmail: 'robot@project.iam.gserviceaccount.com',
  privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  tokenUrl: 'https://oauth2.test/token',
}
const HOUR_MS = 3_600_000
const NOW = 1_700_000_000_123

test('a statement in the form that Google documents, signed with the key of the account', async () => {
  const { tokens, requests } = office()
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

test('fetched once, kept for all but the last two minutes of its hour', async () => {
  const { tokens, clock, requests } = office()
  await tokens.tokenFor(ACCOUNT)
  clock.now += HOUR_MS - 120_000 - 1
  assert.equal(await tokens.tokenFor(ACCOUNT), 'token-1')
  clock.now += 1
  assert.equal(await tokens.tokenFor(ACCOUNT), 'token-2')
  assert.equal(requests.length, 2)
})

test('each account has its own', async () => {
  const { tokens } = office()
  assert.equal(await tokens.tokenFor(ACCOUNT), 'token-1')
  assert.equal(await tokens.tokenFor({ ...ACCOUNT, clientEmail: 'other@x' }), 'token-2')
  assert.equal(await tokens.tokenFor(ACCOUNT), 'token-1')
})

const REFUSALS: Record<string, { status: number; text: string }> = {
  'a refusal': { status: 400, text: '{"error":"invalid_grant"}' },
  'an answer without a token': { status: 200, text: '{}' },
  'an empty token': { status: 200, text: '{"access_token":""}' },
  HTML: { status: 200, text: '<!doctype html>' },
}

for (const [what, refusal] of Object.entries(REFUSALS)) {
  test(`${what} is a refused credential, told without the account, and not kept`, async () => {
    const { tokens, replies } = office()
    replies.push(refusal)
    await assert.rejects(tokens.tokenFor(ACCOUNT), (error: UpstreamProblem) => {
      return error instanceof UpstreamProblem && error.kind === 'auth' && !error.message.includes(ACCOUNT.clientEmail)
    })
    assert.equal(await tokens.tokenFor(ACCOUNT), 'token-2')
  })
}

test('an office that cannot be reached is a failure of the wire, and the next call tries again', async () => {
  const { tokens, replies } = office()
  replies.push(new WireFailure('refused'))
  await assert.rejects(tokens.tokenFor(ACCOUNT), { kind: 'refused' })
  assert.equal(await tokens.tokenFor(ACCOUNT), 'token-2')
})

type Reply = { status: number; text: string } | Error

/** Where tokens are handed out, numbered; `replies` come first. */
function office() {
  const requests: WireRequest[] = []
  const replies: Reply[] = []
  const clock = { now: NOW }
  const send: Send = async (request) => {
    const number = requests.push(request)
    const reply = replies.shift() ?? { status: 200, text: JSON.stringify({ access_token: `token-${number}` }) }
    if (reply instanceof Error) throw reply
    return { status: reply.status, headers: {}, body: bodyOf(reply.text) }
  }
  return { tokens: new GoogleTokens(send, () => clock.now), requests, replies, clock }
}

async function* bodyOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

function read(part: string): unknown {
  return JSON.parse(Buffer.from(part, 'base64url').toString())
}
