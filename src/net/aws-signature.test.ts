import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sha256Hex, signRequest } from '../blobs/sigv4.ts'
import type { WireRequest } from '../contract/wire.ts'
import { signAws } from './aws-signature.ts'

// The signatures of AWS's SigV4 test suite.
const SUITE = {
  service: 'service',
  region: 'us-east-1',
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
}
const NOW = new Date('2015-08-30T12:36:00Z')
const GET: WireRequest = { method: 'GET', url: 'https://example.amazonaws.com/', headers: {}, body: null }
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }
const CONVERSE: WireRequest = {
  method: 'POST',
  url: 'https://bedrock-runtime.eu-west-1.amazonaws.com/model/eu.anthropic.claude-v1%3A0/converse',
  headers: { 'content-type': 'application/json', accept: 'application/json' },
  body: '{"messages":[{"role":"user","content":[{"text":"Grüße"}]}]}',
}

describe('signatures AWS has published', () => {
  const vectors: [name: string, request: WireRequest, signature: string][] = [
    ['get-vanilla', GET, '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    [
      'get-vanilla-query-order-key-case',
      { ...GET, url: `${GET.url}?Param2=value2&Param1=value1` },
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
    [
      'get-vanilla-utf8-query',
      { ...GET, url: `${GET.url}?ሴ=bar` },
      '2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04',
    ],
    ['post-vanilla', { ...GET, method: 'POST' }, '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
    [
      'post-x-www-form-urlencoded',
      { ...GET, method: 'POST', headers: FORM, body: 'Param1=value1' },
      'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    ],
  ]
  for (const [name, request, signature] of vectors)
    test(name, () => assert.equal(signatureOf(signAws(request, SUITE, NOW)), signature))
})

describe('a call of Bedrock', () => {
  const signer = { ...SUITE, service: 'bedrock', region: 'eu-west-1', sessionToken: 'token' }

  test('the path is encoded twice: the signature is the one another implementation makes', () => {
    const { region, service, ...credentials } = signer
    const theirs = signRequest(
      {
        method: 'POST',
        url: CONVERSE.url,
        headers: { 'content-type': 'application/json' },
        payloadHash: sha256Hex(String(CONVERSE.body)),
      },
      { credentials, region, service, now: NOW },
    )
    assert.equal(signAws(CONVERSE, signer, NOW).headers.authorization, theirs.authorization)
  })

  test('host, time, token and content type are signed, and nothing else', () => {
    const { headers } = signAws(CONVERSE, signer, NOW)
    assert.match(headers.authorization ?? '', /SignedHeaders=content-type;host;x-amz-date;x-amz-security-token,/)
    assert.equal(headers['x-amz-date'], '20150830T123600Z')
    assert.equal(headers['x-amz-security-token'], 'token')
    assert.equal(headers.accept, 'application/json')
  })

  test('the request itself is left as it was, and bytes sign as the text they are', () => {
    const before = structuredClone(CONVERSE)
    const bytes = signAws({ ...CONVERSE, body: new TextEncoder().encode(String(CONVERSE.body)) }, signer, NOW)
    assert.deepEqual(bytes.headers, signAws(CONVERSE, signer, NOW).headers)
    assert.deepEqual(CONVERSE, before)
    assert.notEqual(signatureOf(bytes), signatureOf(signAws({ ...CONVERSE, body: '{}' }, signer, NOW)))
  })
})

function signatureOf({ headers }: WireRequest): string | undefined {
  return headers.authorization?.split('Signature=')[1]
}
