import assert from 'node:assert/strict'
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { blobLocation } from './blob-location.ts'

test('a folder is the same wherever it is mounted, and another one at the same path is not', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'gatehouse-place-'))
  t.after(() => rm(root, { recursive: true }))
  const [one, same, mounted] = ['one', 'one', 'mounted'].map((name) => join(root, name)) as [string, string, string]
  const places = await Promise.all([blobLocation(one, undefined), blobLocation(same, undefined)])
  assert.deepEqual(places[0], places[1])
  await cp(join(root, 'one'), join(root, 'kept'), { recursive: true })
  await rm(one, { recursive: true })
  assert.notDeepEqual(await blobLocation(one, undefined), places[0])
  await symlink(join(root, 'kept'), mounted)
  assert.deepEqual(await blobLocation(mounted, undefined), places[0])
  await writeFile(join(one, 'blobs', 'folder-id'), 'nonsense')
  await assert.rejects(blobLocation(one, undefined), /does not hold the id of the folder/)
})

test('a bucket is known by its name and prefix, whatever its endpoint is called', async () => {
  const one = await blobLocation('unused', 's3://bucket/some/prefix?endpoint=http://minio:9000')
  assert.deepEqual(await blobLocation('unused', 's3://bucket/some/prefix/?endpoint=http://10.0.0.1:9000'), one)
  assert.notDeepEqual(await blobLocation('unused', 's3://bucket/other'), one)
})
