import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { mkdtempSync, rmSync } from 'node:fs'
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { buffer, text } from 'node:stream/consumers'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { type FakeS3, startS3 } from '../../../test/fakes/s3.ts'
import { Problem } from '../../contract/problems.ts'
import { openUpstream, type Upstream } from '../net/upstream.ts'
import type { BlobStore } from './blob-store.ts'
import { NoCapacity } from '../../base/fairness/fair-semaphore.ts'
import { openBlobs } from './open-blobs.ts'
import { openS3 } from './s3.ts'
import { parseBlobUrl } from './s3-location.ts'
import { MB } from '../../base/units/units.ts'

const UPLOAD_BUFFER = mkdtempSync(join(tmpdir(), 'gatehouse-upload-buffer-'))
after(() => rmSync(UPLOAD_BUFFER, { recursive: true, force: true }))

// What only this store does. What both stores do is tested in blob-store.test.ts.

const PART_BYTES = 64 * 1024
const LIMIT = { maxBytes: 100 * MB }

let upstream: Upstream
let s3: FakeS3
let store: BlobStore
before(() => {
  upstream = openUpstream()
})
after(() => upstream.close())
beforeEach(async () => {
  s3 = await startS3({ minPartBytes: PART_BYTES })
  store = open({})
})
afterEach(() => s3.close())

test('a reader that leaves before it has read anything closes its connection', async () => {
  const id = randomUUID()
  let closed = 0
  const send: Upstream['send'] = async (request, options) => {
    const response = await upstream.send(request, options)
    const source = response.body[Symbol.asyncIterator]()
    const leave = async () => {
      closed++
      return (await source.return?.()) ?? { done: true as const, value: undefined }
    }
    return { ...response, body: { [Symbol.asyncIterator]: () => ({ next: () => source.next(), return: leave }) } }
  }
  const location = parseBlobUrl(`s3://bucket?endpoint=${s3.endpoint}&region=${s3.keys.region}`)
  const watched = openS3({ uploadBuffer: UPLOAD_BUFFER, location, credentials: s3.keys, send })
  await watched.write(id, pieces(randomBytes(1_000)), LIMIT)
  closed = 0
  const bytes = await watched.read(id)
  await bytes![Symbol.asyncIterator]().return?.()
  assert.equal(closed, 1)
})

describe('an upload', () => {
  test('of one part is one call; of a byte more than two parts it is three, of a size that Amazon takes', async () => {
    const amazon = await startS3()
    const location = parseBlobUrl(`s3://bucket?endpoint=${amazon.endpoint}&region=${amazon.keys.region}`)
    const real = openS3({ uploadBuffer: UPLOAD_BUFFER, location, credentials: amazon.keys, send: upstream.send })
    const [small, large, bytes] = [randomUUID(), randomUUID(), randomBytes(16 * MB + 1)]
    await real.write(small, pieces(bytes.subarray(0, 8 * MB)), LIMIT)
    assert.deepEqual(amazon.calls, [`PUT /bucket/${small}`])
    await real.write(large, pieces(bytes), LIMIT)
    assert.deepEqual(
      amazon.calls.slice(1).map((call) => call.replace(/uploadId=.*/, 'uploadId')),
      [
        `POST /bucket/${large}?uploads=`,
        `PUT /bucket/${large}?partNumber=1&uploadId`,
        `PUT /bucket/${large}?partNumber=2&uploadId`,
        `PUT /bucket/${large}?partNumber=3&uploadId`,
        `POST /bucket/${large}?uploadId`,
      ],
    )
    assert.ok(amazon.objects.get(`/bucket/${large}`)?.equals(bytes))
    assert.ok((await buffer((await real.read(large))!)).equals(bytes))
    await amazon.close()
  })

  test('lives through passing failures', async () => {
    const [id, bytes] = [randomUUID(), randomBytes(PART_BYTES * 3)]
    s3.failNext(/partNumber=2/, { status: 503, code: 'SlowDown' })
    s3.failNext(/partNumber=3/, 'broken')
    s3.failNext(/POST .*uploads/, { status: 500, code: 'InternalError' })
    await store.write(id, pieces(bytes), LIMIT)
    assert.ok((await buffer((await store.read(id))!)).equals(bytes))
  })

  const FAULTS = [
    { name: 'no part is taken', call: /partNumber=2/, fault: { status: 503, code: 'SlowDown' }, said: /SlowDown/ },
    { name: 'the last call fails behind a 200', call: /POST .*uploadId/, fault: 'hidden', said: /InternalError/ },
    { name: 'the last call is done but not answered', call: /POST .*uploadId/, fault: 'answered', said: /answer/ },
    { name: 'the upload cannot begin', call: /uploads=/, fault: { status: 403, code: 'AccessDenied' }, said: /Denied/ },
  ] as const
  for (const { name, call, fault, said } of FAULTS)
    test(`${name}: a problem, and nothing is left`, async () => {
      s3.failNext(call, fault, 3)
      await assert.rejects(store.write(randomUUID(), pieces(randomBytes(PART_BYTES * 3)), LIMIT), unavailable(said))
      assert.deepEqual([...s3.objects.keys(), ...s3.uploads.keys()], [])
    })

  test('of one call that was done but not answered leaves nothing either', async () => {
    s3.failNext(/^PUT/, 'answered', 3)
    await assert.rejects(store.write(randomUUID(), pieces(Buffer.from('x')), LIMIT), unavailable(/does not answer/))
    assert.equal(s3.objects.size, 0)
  })
})

describe('refusals', () => {
  test('a wrong key or secret is reported without showing either', async () => {
    const wrongSecret = open({ secretAccessKey: 'not the secret' })
    await assert.rejects(wrongSecret.read(randomUUID()), unavailable(/SignatureDoesNotMatch/))
    const wrongKey = open({ accessKeyId: 'AKIAOTHER' })
    await assert.rejects(
      wrongKey.write(randomUUID(), pieces(Buffer.from('x')), LIMIT),
      unavailable(/InvalidAccessKeyId/),
    )
    await assert.rejects(wrongKey.delete(randomUUID()), unavailable(/InvalidAccessKeyId/))
  })

  test('a bucket that does not exist is no missing file', async () => {
    s3.failNext(/^GET/, { status: 404, code: 'NoSuchBucket' })
    await assert.rejects(store.read(randomUUID()), unavailable(/NoSuchBucket/))
  })

  test('storage that does not answer is unavailable', async () => {
    s3.failNext(/^GET/, 'broken', 3)
    await assert.rejects(store.read(randomUUID()), unavailable(/does not answer/))
  })

  test('a session token is part of every call', async () => {
    const keys = { ...s3.keys, sessionToken: 'a/session+token==' }
    const guarded = await startS3({ keys })
    const location = parseBlobUrl(`s3://bucket?endpoint=${guarded.endpoint}&region=${keys.region}`)
    const { send } = upstream
    const id = randomUUID()
    await openS3({ uploadBuffer: UPLOAD_BUFFER, location, credentials: keys, send }).write(
      id,
      pieces(Buffer.from('x')),
      LIMIT,
    )
    assert.equal(
      await text((await openS3({ uploadBuffer: UPLOAD_BUFFER, location, credentials: keys, send }).read(id))!),
      'x',
    )
    const { sessionToken: _, ...tokenless } = keys
    await assert.rejects(
      openS3({ uploadBuffer: UPLOAD_BUFFER, location, credentials: tokenless, send }).read(id),
      unavailable(/InvalidToken/),
    )
    await guarded.close()
  })
})

test('keys of an identity are asked for with every call, and none is a storage that is unavailable', async () => {
  const id = randomUUID()
  const location = parseBlobUrl(`s3://bucket?endpoint=${s3.endpoint}&region=${s3.keys.region}`)
  let keys = Promise.resolve(s3.keys)
  const settings = { uploadBuffer: UPLOAD_BUFFER, location, send: upstream.send }
  const keyless = openS3({ ...settings, credentials: () => keys })
  await keyless.write(id, pieces(Buffer.from('x')), LIMIT)
  assert.equal(await text((await keyless.read(id))!), 'x')
  keys = Promise.resolve({ ...s3.keys, accessKeyId: 'expired' })
  await assert.rejects(keyless.read(id), unavailable(/InvalidAccessKeyId/))
  keys = Promise.reject(new Error('no role'))
  await assert.rejects(keyless.read(id), unavailable(/has no keys/))
})

describe('an address with a signature', () => {
  test('opens this file to anyone, for a while', async () => {
    const id = randomUUID()
    await store.write(id, pieces(Buffer.from('shared')), LIMIT)
    assert.equal(await (await fetch(await store.signedUrl!(id, 60))).text(), 'shared')
    assert.equal((await fetch(await store.signedUrl!(id, -1))).status, 403)
    const another = (await store.signedUrl!(id, 60)).replace(id, randomUUID())
    assert.equal((await fetch(another)).status, 403)
    assert.equal((await fetch((await store.signedUrl!(id, 60)).replace('Expires=60', 'Expires=600'))).status, 403)
  })
})

describe('BLOB_URL', () => {
  const GOOD = [
    ['s3://bucket', 'https://bucket.s3.us-east-1.amazonaws.com/ID'],
    ['s3://bucket/', 'https://bucket.s3.us-east-1.amazonaws.com/ID'],
    ['s3://bucket/a/b/?region=eu-west-1', 'https://bucket.s3.eu-west-1.amazonaws.com/a/b/ID'],
    ['s3://my.bucket/p', 'https://s3.us-east-1.amazonaws.com/my.bucket/p/ID'],
    ['s3://bucket/p?endpoint=http://minio:9000', 'http://minio:9000/bucket/p/ID'],
    ['s3://bucket?endpoint=https%3A%2F%2Fhost.test%2Fs3%2F&region=auto', 'https://host.test/s3/bucket/ID'],
    ['s3://bucket/with%20space', 'https://bucket.s3.us-east-1.amazonaws.com/with%20space/ID'],
  ] as const
  for (const [blobUrl, url] of GOOD) test(blobUrl, () => assert.equal(parseBlobUrl(blobUrl).urlOf('ID'), url))

  const BAD = [
    'http://bucket',
    's3:bucket',
    's3://',
    's3:///prefix',
    's3://AKIA:secret@bucket/p',
    's3://bucket?acl=public',
    's3://bucket?region=eu%20west',
    's3://bucket?endpoint=ftp://host',
    's3://bucket?endpoint=nothing',
    's3://bucket?endpoint=http://key:secret@host',
    's3://bucket/../hidden',
    's3://bucket/%2e%2e/hidden',
    's3://bucket/%zz',
  ]
  for (const blobUrl of BAD)
    test(`${blobUrl} is refused, and not repeated`, () =>
      assert.throws(
        () => parseBlobUrl(blobUrl),
        (error: Error) => {
          assert.match(error.message, /^BLOB_URL (should|accepts|has) /)
          return !error.message.includes('secret') && !error.message.includes('hidden')
        },
      ))

  test('decides where files go, and nothing stays on the disk', async () => {
    const blobUrl = `s3://bucket?endpoint=${s3.endpoint}&region=${s3.keys.region}`
    const settings = { dataDir: UPLOAD_BUFFER, blobUrl, send: upstream.send }
    const blobs = await openBlobs({ ...settings, credentials: s3.keys })
    await blobs.write(randomUUID(), pieces(Buffer.from('x')), LIMIT)
    assert.equal(s3.objects.size, 1)
    assert.deepEqual(await readdir(join(UPLOAD_BUFFER, 'upload-buffer')), [])
    await assert.rejects(openBlobs(settings), /needs AWS_ACCESS_KEY_ID/)
  })
})

test('an upload that waits too long for others of its owner is refused', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const location = parseBlobUrl('s3://bucket?endpoint=http://127.0.0.1:9&region=eu-west-1')
  let sent = 0
  const silent = () => {
    sent++
    return new Promise<never>(() => {})
  }
  const store = openS3({ uploadBuffer: UPLOAD_BUFFER, location, credentials: s3.keys, send: silent })
  const write = () => store.write(randomUUID(), pieces(Buffer.from('x')), { ...LIMIT, owner: 'a' })
  const refused = Promise.any(Array.from({ length: 9 }, () => write().catch((error: unknown) => error)))
  let reason: unknown
  void refused.then((error) => {
    reason = error
  })
  while (sent < 8 && reason === undefined) await new Promise(setImmediate)
  // The last upload still writes to the disk before it waits.
  while (reason === undefined) {
    t.mock.timers.tick(120_000)
    await new Promise(setImmediate)
  }
  assert.ok(reason instanceof NoCapacity, String(reason))
  assert.equal(sent, 8)
})

function open(keys: { accessKeyId?: string; secretAccessKey?: string }): BlobStore {
  const location = parseBlobUrl(`s3://bucket/folder?endpoint=${s3.endpoint}&region=${s3.keys.region}`)
  return openS3(
    { uploadBuffer: UPLOAD_BUFFER, location, credentials: { ...s3.keys, ...keys }, send: upstream.send },
    PART_BYTES,
  )
}

/** A storage problem with this message that does not reveal where the storage is or how it is accessed. */
function unavailable(said: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof Problem, String(error))
    assert.equal(error.code, 'unavailable')
    assert.match(error.message, said)
    return !/AKIA|secret|127\.0\.0\.1|bucket|\d{4,}/i.test(error.message.replace(/NoSuchBucket/, ''))
  }
}

async function* pieces(bytes: Uint8Array) {
  for (let offset = 0; offset < bytes.length; offset += 65_536) yield bytes.subarray(offset, offset + 65_536)
}
