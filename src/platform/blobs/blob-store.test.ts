import { mkdtempSync, rmSync } from 'node:fs'
import assert from 'node:assert/strict'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { startS3 } from '../../../test/fakes/s3.ts'
import { sample } from '../../../test/soak/sample.ts'
import { Problem } from '../../contract/problems.ts'
import { openUpstream } from '../net/upstream.ts'
import { HEAD_BYTES } from '../../base/sniff/head-bytes.ts'
import type { BlobStore } from './blob-store.ts'
import { openDisk } from './disk.ts'
import { openS3 } from './s3.ts'
import { parseBlobUrl } from './s3-location.ts'
import { MB } from '../../base/units/units.ts'

const UPLOAD_BUFFER = mkdtempSync(join(tmpdir(), 'gatehouse-upload-buffer-'))
after(() => rmSync(UPLOAD_BUFFER, { recursive: true, force: true }))

// What every store does, whatever its backend. Parts are small here so that many of them pass quickly; s3.test.ts sends one
// file in parts of the real size.

const PART_BYTES = 64 * 1024
const MAX_BYTES = MB
const ABORTS = sample(30, 100)

type Opened = { store: BlobStore; leftovers(): Promise<string[]>; close(): Promise<void> }

const OPENERS: Record<string, () => Promise<Opened>> = { disk: openOnDisk, s3: openOnS3 }

for (const [name, open] of Object.entries(OPENERS))
  describe(`the store on ${name}`, () => {
    let opened: Opened
    let store: BlobStore
    before(async () => {
      opened = await open()
      store = opened.store
    })
    after(() => opened.close())

    for (const size of [0, 1, HEAD_BYTES - 1, HEAD_BYTES, HEAD_BYTES + 1, PART_BYTES * 2, 300_001])
      test(`${size} bytes come back as they went, measured`, async () => {
        const [id, bytes] = [randomUUID(), randomBytes(size)]
        const written = await store.write(id, inPieces(bytes, 10_007), { maxBytes: MAX_BYTES })
        assert.equal(written.size, size)
        assert.equal(written.sha256, createHash('sha256').update(bytes).digest('hex'))
        assert.deepEqual(Buffer.from(written.head), bytes.subarray(0, HEAD_BYTES))
        assert.deepEqual(await readAll(store, id), bytes)
        assert.equal(await store.delete(id), true)
      })

    test('a range gives these bytes and no others', async () => {
      const [id, bytes] = [randomUUID(), randomBytes(200_000)]
      await store.write(id, inPieces(bytes, 70_000), { maxBytes: MAX_BYTES })
      const ranges = [
        [0, 0],
        [5, 9],
        [65_530, 131_080],
        [199_999, 199_999],
        [0, 199_999],
        [199_990, 10_000_000],
        [200_000, 200_001],
      ] as const
      for (const [start, end] of ranges)
        assert.deepEqual(await readAll(store, id, { start, end }), bytes.subarray(start, end + 1), `${start}-${end}`)
      for (const wrong of [
        { start: -1, end: 2 },
        { start: 3, end: 2 },
        { start: 0.5, end: 2 },
      ])
        await assert.rejects(async () => store.read(id, wrong), RangeError)
      await store.delete(id)
    })

    test('a reader that leaves early does no harm', async () => {
      const id = randomUUID()
      await store.write(id, inPieces(randomBytes(900_000), 65_536), { maxBytes: MAX_BYTES })
      for await (const chunk of (await store.read(id))!) if (chunk.length > 0) break
      assert.equal((await readAll(store, id)).length, 900_000)
      assert.equal(await store.delete(id), true)
    })

    test('what does not exist is undefined to read and false to delete; what was deleted does not exist', async () => {
      const id = randomUUID()
      assert.equal(await store.read(id), undefined)
      assert.equal(await store.delete(id), false)
      await store.write(id, inPieces(Buffer.from('x'), 1), { maxBytes: MAX_BYTES })
      assert.equal(await store.delete(id), true)
      assert.equal(await store.read(id), undefined)
      assert.equal(await store.delete(id), false)
    })

    test('an id that is no UUID reaches nothing', async () => {
      for (const id of NO_IDS) {
        assert.equal(await store.read(id), undefined, id)
        assert.equal(await store.delete(id), false, id)
        await assert.rejects(store.write(id, inPieces(Buffer.from('x'), 1), { maxBytes: 9 }), TypeError, id)
      }
      assert.deepEqual(await opened.leftovers(), [])
    })

    test('a file that is too large is refused, at once and without a trace', async () => {
      let pulled = 0
      const endless = async function* () {
        for (; ; pulled++) yield randomBytes(10_000)
      }
      const refused = store.write(randomUUID(), endless(), { maxBytes: 300_000 })
      await assert.rejects(refused, (error) => error instanceof Problem && error.code === 'too_large')
      assert.equal(pulled, 30)
      assert.deepEqual(await opened.leftovers(), [])
    })

    test('a file of exactly the limit is stored', async () => {
      const id = randomUUID()
      const { size } = await store.write(id, inPieces(randomBytes(300_000), 9_999), { maxBytes: 300_000 })
      assert.equal(size, 300_000)
      await store.delete(id)
    })

    test(`${ABORTS} uploads cut at random bytes leave nothing`, async () => {
      const reason = new Error('the client left')
      const bytes = randomBytes(400_000)
      const cuts = Array.from({ length: ABORTS }, () => Math.floor(Math.random() * bytes.length))
      const attempts = cuts.map((cut) =>
        store.write(randomUUID(), cutAfter(bytes.subarray(0, cut), reason), { maxBytes: MAX_BYTES }),
      )
      for (const attempt of await Promise.allSettled(attempts))
        assert.equal(attempt.status === 'rejected' && attempt.reason, reason, `cuts: ${cuts}`)
      assert.deepEqual(await opened.leftovers(), [], `cuts: ${cuts}`)
    })

    test('uploads side by side do not mix', async () => {
      const files = Array.from({ length: 20 }, () => ({ id: randomUUID(), bytes: randomBytes(150_000) }))
      await Promise.all(files.map(({ id, bytes }) => store.write(id, inPieces(bytes, 4_099), { maxBytes: MAX_BYTES })))
      for (const { id, bytes } of files) assert.deepEqual(await readAll(store, id), bytes)
      for (const { id } of files) assert.equal(await store.delete(id), true)
      assert.deepEqual(await opened.leftovers(), [])
    })
  })

const SOME_ID = '0b7ad1a2-6f3c-4b52-9d3e-5d6f1c2b3a49'

const NO_IDS = [
  '',
  '.',
  '..',
  '../../etc/passwd',
  '..%2f..%2fetc%2fpasswd',
  '/etc/passwd',
  `../${SOME_ID}`,
  `${SOME_ID}/..`,
  `${SOME_ID}\n`,
  `${SOME_ID}\0.png`,
  `${SOME_ID}?uploads`,
  SOME_ID.toUpperCase(),
  SOME_ID.slice(1),
  `partial/${SOME_ID}`,
]

async function openOnDisk(): Promise<Opened> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-blobs-'))
  return {
    store: await openDisk(dataDir),
    leftovers: () => filesBelow(dataDir),
    close: () => rm(dataDir, { recursive: true }),
  }
}

async function openOnS3(): Promise<Opened> {
  const s3 = await startS3({ minPartBytes: PART_BYTES })
  const upstream = openUpstream()
  const location = parseBlobUrl(`s3://bucket/a/folder?endpoint=${s3.endpoint}&region=${s3.keys.region}`)
  return {
    store: openS3({ uploadBuffer: UPLOAD_BUFFER, location, credentials: s3.keys, send: upstream.send }, PART_BYTES),
    leftovers: async () => [...s3.objects.keys(), ...s3.uploads.keys()],
    close: async () => {
      await upstream.close()
      await s3.close()
    },
  }
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

async function readAll(store: BlobStore, id: string, range?: { start: number; end: number }): Promise<Buffer> {
  const found = await store.read(id, range)
  assert.ok(found)
  return buffer(found)
}

async function* inPieces(bytes: Uint8Array, size: number) {
  for (let offset = 0; offset < bytes.length; offset += size) yield bytes.subarray(offset, offset + size)
}

async function* cutAfter(bytes: Uint8Array, reason: Error) {
  yield* inPieces(bytes, 16_384)
  throw reason
}
