import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { ownerNamed } from '../../../test/fakes/owners.ts'
import { onBothStores } from '../../../test/fakes/stores.ts'
import { cancelUpload, completeUpload, countOpenUploads, findOpenUpload, listParts } from './file-parts.ts'
import { findFile, insertFile, listFiles, type NewFile, type StoredFile } from './files.ts'
import { storedBytesOf } from './owner-scans.ts'

const QUOTA = 1_000

await onBothStores('uploads in parts', ({ one: db, other }) => {
  test('an upload and its parts are no files; the file takes their place, once, with their bytes', async () => {
    const { upload, owner, parts } = await uploadOf(400, 500)
    assert.equal(await countOpenUploads(db, owner), 1)
    assert.deepEqual(idsOf(await listParts(db, owner, upload.id)), idsOf(parts))
    assert.deepEqual(
      [(await listFiles(db, { owner, page: 1, limit: 9 })).total, await storedBytesOf(db, owner)],
      [0, 900],
    )
    for (const { id } of [upload, ...parts]) assert.equal(await findFile(db, owner, id), undefined)
    const asked = [db, other].map((one) => {
      const file = fileOf(owner, { size: 900, sha256: 'ab' })
      return completeUpload(one, upload, file, { metadata: `{"file":"${file.id}"}`, quotaBytes: QUOTA })
    })
    const done = (await Promise.all(asked)).filter((one) => one !== undefined)
    assert.equal(done.length, 1)
    assert.deepEqual(done[0]!.parts.toSorted(), idsOf(parts))
    const { id, size, sha256 } = (await findFile(db, owner, done[0]!.stored.id))!
    assert.deepEqual([size, sha256, await storedBytesOf(db, owner)], [900, 'ab', 900])
    assert.equal((await findOpenUpload(db, owner, upload.id))?.metadata, `{"file":"${id}"}`)
    assert.deepEqual(await cancelUpload(db, upload), [])
  })

  test('a file that does not fit leaves the upload and its parts as they were', async () => {
    const { upload, owner, parts } = await uploadOf(400, 500)
    const file = fileOf(owner, { size: QUOTA + 1 })
    assert.equal(await completeUpload(db, upload, file, { metadata: '{}', quotaBytes: QUOTA }), undefined)
    assert.deepEqual(idsOf(await listParts(db, owner, upload.id)), idsOf(parts))
    assert.deepEqual(await findOpenUpload(db, owner, upload.id), upload)
  })

  test('an upload is cancelled with its parts, once, and not by another owner', async () => {
    const { upload, owner, parts } = await uploadOf(1, 2)
    const stranger = randomUUID()
    assert.equal(await findOpenUpload(db, stranger, upload.id), undefined)
    assert.deepEqual(await listParts(db, stranger, upload.id), [])
    assert.deepEqual(await cancelUpload(db, { ...upload, owner: stranger }), [])
    const gone = (await Promise.all([db, other].map((one) => cancelUpload(one, upload)))).flat()
    assert.deepEqual(gone.toSorted(), idsOf([upload, ...parts]))
    assert.deepEqual([await countOpenUploads(db, owner), await storedBytesOf(db, owner)], [0, 0])
  })

  async function uploadOf(...sizes: number[]): Promise<{ owner: string; upload: StoredFile; parts: StoredFile[] }> {
    const owner = randomUUID()
    const upload = await inserted(fileOf(owner, { origin: 'open', size: 0 }))
    const parts: StoredFile[] = []
    for (const size of sizes) parts.push(await inserted(fileOf(owner, { origin: 'part', size, uploadId: upload.id })))
    return { owner, upload, parts }
  }

  async function inserted(file: NewFile): Promise<StoredFile> {
    const stored = await insertFile(db, file, QUOTA)
    assert.ok(stored)
    return stored
  }
})

function idsOf(files: readonly StoredFile[]): string[] {
  return files.map(({ id }) => id).toSorted()
}

function fileOf(owner: string, parts: Partial<NewFile>): NewFile {
  const fixed = { name: 'a.txt', size: 1, type: 'text/plain', purpose: 'x', metadata: '{}' }
  return { ...ownerNamed(''), id: randomUUID(), origin: 'upload', lifetimeMs: 1e12, ...fixed, owner, ...parts }
}
