import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { presignUrl, type SigningScope, sha256Hex, signRequest } from './sigv4.ts'
import { DAY_SECONDS } from '../../base/units/units.ts'

// The signatures below are published by AWS: its SigV4 test suite, the examples of the S3 and IAM manuals and, for the path
// that is encoded twice, the test of its JavaScript SDK.

const SUITE: SigningScope = {
  credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' },
  region: 'us-east-1',
  service: 'service',
  now: new Date('2015-08-30T12:36:00Z'),
}

const S3: SigningScope = {
  credentials: { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
  region: 'us-east-1',
  service: 's3',
  now: new Date('2013-05-24T00:00:00Z'),
}

const SDK: SigningScope = {
  credentials: { accessKeyId: 'foo', secretAccessKey: 'bar' },
  region: 'us-bar-1',
  service: 'foo',
  now: new Date('2000-01-01T00:00:00Z'),
}

const EMPTY = sha256Hex('')
const TOKEN = [
  'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRq',
  'TflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75Y',
  'U9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9K',
  'SYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==',
].join('')
const UNRESERVED = '-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

type Vector = {
  name: string
  scope?: SigningScope
  method?: string
  url?: string
  headers?: Record<string, string>
  payloadHash?: string
  signature: string
}

const SUITE_URL = 'https://example.amazonaws.com/'

const VECTORS: Vector[] = [
  { name: 'get-vanilla', signature: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31' },
  {
    name: 'get-vanilla-query-order-key-case',
    url: `${SUITE_URL}?Param2=value2&Param1=value1`,
    signature: 'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  },
  {
    name: 'get-vanilla-utf8-query',
    url: `${SUITE_URL}?ሴ=bar`,
    signature: '2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04',
  },
  {
    name: 'get-unreserved',
    url: SUITE_URL + UNRESERVED,
    signature: '07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f',
  },
  {
    name: 'get-slashes, tidied as the suite asks',
    url: `${SUITE_URL}/example//`,
    signature: '9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84',
  },
  {
    name: 'get-header-value-trim',
    headers: { 'My-Header1': ' value1', 'My-Header2': ' "a   b   c"' },
    signature: 'acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736',
  },
  {
    name: 'post-vanilla',
    method: 'POST',
    signature: '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  },
  {
    name: 'post-vanilla-query',
    method: 'POST',
    url: `${SUITE_URL}?Param1=value1`,
    signature: '28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11',
  },
  {
    name: 'post-x-www-form-urlencoded',
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    payloadHash: sha256Hex('Param1=value1'),
    signature: 'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  },
  {
    name: 'post-sts-header-before',
    method: 'POST',
    scope: { ...SUITE, credentials: { ...SUITE.credentials, sessionToken: TOKEN } },
    signature: '85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead',
  },
  {
    name: 'IAM ListUsers',
    scope: { ...SUITE, service: 'iam' },
    url: 'https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08',
    headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
    signature: '5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
  },
  {
    name: 'a path that is encoded twice',
    scope: SDK,
    method: 'POST',
    url: 'https://foo.us-bar-1.amazonaws.com/foo%3Dbar',
    headers: { 'x-amz-content-sha256': EMPTY },
    signature: 'fb4948cab44a9c47ce3b1a2489d01ec939fea9e79eccdb4593c11a94f207e075',
  },
  {
    name: 'S3 GET of a range',
    scope: S3,
    url: 'https://examplebucket.s3.amazonaws.com/test.txt',
    headers: { range: 'bytes=0-9' },
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  {
    name: 'S3 PUT, path with a dollar',
    scope: S3,
    method: 'PUT',
    url: 'https://examplebucket.s3.amazonaws.com/test$file.text',
    headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
    payloadHash: sha256Hex('Welcome to Amazon S3.'),
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  {
    name: 'S3 GET of a bare query key',
    scope: S3,
    url: 'https://examplebucket.s3.amazonaws.com/?lifecycle',
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
  {
    name: 'S3 list',
    scope: S3,
    url: 'https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J',
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
  {
    name: 'S3 PUT in signed chunks (the seed)',
    scope: S3,
    method: 'PUT',
    url: 'https://s3.amazonaws.com/examplebucket/chunkObject.txt',
    headers: {
      'content-encoding': 'aws-chunked',
      'content-length': '66824',
      'x-amz-decoded-content-length': '66560',
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    },
    payloadHash: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
    signature: '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9',
  },
]

describe('signatures AWS has published', () => {
  for (const { name, scope = SUITE, method = 'GET', url = SUITE_URL, headers = {}, ...vector } of VECTORS)
    test(name, () => {
      const signed = signRequest({ method, url, headers, payloadHash: vector.payloadHash ?? EMPTY }, scope)
      assert.equal(signed.authorization?.split('Signature=')[1], vector.signature)
    })

  test('an S3 address with its signature in the query', () => {
    const url = presignUrl({ method: 'GET', url: 'https://examplebucket.s3.amazonaws.com/test.txt' }, S3, DAY_SECONDS)
    const signature = new URL(url).searchParams.get('X-Amz-Signature')
    assert.equal(signature, 'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404')
  })
})

describe('what is sent', () => {
  test('the request’s headers stay, and a session token is added', () => {
    const scope = { ...S3, credentials: { ...S3.credentials, sessionToken: 'token' } }
    const request = { method: 'GET', url: 'https://b.test/x', headers: { range: 'bytes=0-0' }, payloadHash: EMPTY }
    const signed = signRequest(request, scope)
    assert.equal(signed.range, 'bytes=0-0')
    assert.equal(signed['x-amz-security-token'], 'token')
    assert.match(
      signed.authorization ?? '',
      /SignedHeaders=host;range;x-amz-content-sha256;x-amz-date;x-amz-security-token,/,
    )
    assert.match(presignUrl(request, scope, 60), /X-Amz-Security-Token=token&/)
  })
})
