import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DeletedFiles, FileList } from '../../../src/contract/files.ts'
import { sweepFiles } from '../../../src/calls/files/files.ts'
import { OWNER_COLUMNS } from '../../../src/platform/store/owner.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { formOf } from '../../gateway/form.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { type GatewayWithFakes, startGatewayWithFakes } from '../../gateway/gateway-with-fakes.ts'
import { sample } from '../../soak/sample.ts'
import { open, request } from '../../gateway/raw-http.ts'
import { type TaskClient, taskClient } from '../../gateway/task-client.ts'
import { MB } from '../../../src/base/units/units.ts'

const CUTS = 20
const POLL_MS = 10
/** Consecutive checks that find nothing: the last bytes may still be on their way at the first one. */
const QUIET_LOOKS = 5

describe('uploads at their limits', () => {
  let gateway: GatewayWithFakes
  let client: TaskClient
  before(async () => {
    gateway = await startGatewayWithFakes({}, { UPLOAD_LIMIT_MB: '1', UPLOAD_QUOTA_MB: '3' })
    client = taskClient(gateway.gateway.url)
  })
  after(() => gateway?.close())
  beforeEach(async () => void (await client.delete('/v3/upload')))

  test('a file of exactly the limit is taken, one byte more is not, and leaves nothing', async () => {
    assert.equal((await client.store(Buffer.alloc(MB))).file_size, MB)
    for (const size of [MB + 1, sample(2, 20) * MB]) {
      const { status, body } = await client.upload(
        { name: 'file', filename: 'a', content: Buffer.alloc(size, 1) },
        { name: 'purpose', content: 'late' },
      )
      assert.deepEqual([status, body.error.code], [413, 'too_large'])
      assert.match(body.error.message, /larger than 1 MB/)
    }
    assert.equal((await client.get<FileList>('/v3/upload')).body.total, 1)
    assert.equal((await blobsOnDisk()).length, 1)
  })

  test('the quota is one owner’s: what would go over it is refused and not kept', async () => {
    for (const name of ['a', 'b', 'c']) await client.store(Buffer.alloc(MB), name)
    const { status, body } = await client.upload({ name: 'file', filename: 'd', content: 'x' })
    assert.deepEqual([status, body.error.code], [413, 'too_large'])
    assert.match(body.error.message, /may take 3 MB together/)
    assert.equal((await blobsOnDisk()).length, 3)
    const { key } = await adminClient(gateway.gateway.adminUrl).issue({ owner: 'another owner' })
    const other = taskClient(gateway.gateway.url, key)
    assert.equal((await other.store('x')).file_size, 1)
    await other.delete('/v3/upload')
    assert.deepEqual((await client.delete<DeletedFiles>('/v3/upload')).body, { deleted_count: 3 })
    assert.equal((await client.store('x')).file_size, 1)
  })

  test('many at once get no more than the quota', async () => {
    const content = Buffer.alloc(MB / 2)
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, index) => client.upload({ name: 'file', filename: `${index}`, content })),
    )
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [...Array(6).fill(200), ...Array(6).fill(413)])
    assert.equal((await client.get<FileList>('/v3/upload')).body.total, 6)
    assert.equal((await blobsOnDisk()).length, 6)
  })

  test('uploads that never end fill no more of the disk than 16 files beyond the quota', async () => {
    const { type, body } = formOf([{ name: 'file', filename: 'a', content: Buffer.alloc(1_000_000) }])
    const whole = request('POST /v3/upload', [`Authorization: Bearer ${API_KEY}`, `Content-Type: ${type}`], body)
    const sockets = Array.from({ length: 25 }, () => open(gateway.gateway.url))
    const refused: string[] = []
    for (const socket of sockets) {
      socket.on('data', (reply) => refused.push(reply.toString('latin1').slice(0, 12)))
      socket.write(whole.subarray(0, whole.length - 100))
    }
    while (refused.length < sockets.length - 19) await sleep(POLL_MS)
    assert.deepEqual(new Set(refused), new Set(['HTTP/1.1 413']))
    for (const socket of sockets) socket.destroy()
    await gateway.idle()
  })

  test(`an upload that is cut anywhere leaves nothing (${CUTS} places)`, async () => {
    const content = Buffer.alloc(300_000, 'abc\r\n--gatehouse')
    const { type, body } = formOf([
      { name: 'purpose', content: 'cut' },
      { name: 'file', filename: 'a', content },
      { name: 'expires_in_days', content: '3' },
    ])
    const whole = request('POST /v3/upload', [`Authorization: Bearer ${API_KEY}`, `Content-Type: ${type}`], body)
    const places = Array.from({ length: CUTS }, (_, index) => whole.length - 1 - Math.floor((index / CUTS) ** 3 * 4e5))
    await Promise.all(places.map((length) => sendAndLeave(whole.subarray(0, Math.max(200, length)))))
    for (let quiet = 0; quiet < QUIET_LOOKS; quiet = (await blobsOnDisk()).length > 0 ? 0 : quiet + 1) {
      await gateway.idle()
      await sleep(POLL_MS)
    }
    assert.equal((await client.get<FileList>('/v3/upload')).body.total, 0)
    assert.doesNotMatch(gateway.gateway.logs(), /unexpected error/, 'a caller who leaves is no accident of ours')
    assert.equal((await client.store(content, 'a')).file_size, content.length)
  })

  test('a file over its time is gone for everybody, and then from the disk', async () => {
    const { files } = gateway.gateway.gateway.services.calls
    const [old, young] = [await client.store('old'), await client.store('young')]
    const move = 'UPDATE files SET expires_at = now_ms() - 1 WHERE id = $1'
    await files.db.query(move, [old.file_id])
    for (const path of ['', '/content'])
      assert.equal((await client.get(`/v3/upload/${old.file_id}${path}`)).status, 404)
    const { status, body } = await client.run({
      model: 'ocr/ocr/sandbox',
      input: { file: old.file_id, language: 'en' },
    })
    assert.deepEqual([status, body.error.code], [404, 'not_found'])
    const list = await client.get<FileList>('/v3/upload')
    assert.deepEqual(
      list.body.items.map(({ file_id }) => file_id),
      [young.file_id],
    )
    assert.equal((await blobsOnDisk()).length, 2)
    await sweepFiles(files)
    assert.deepEqual(await blobsOnDisk(), [young.file_id])
  })

  test('a sweep takes all that is due, not only a first batch', async () => {
    const { files } = gateway.gateway.gateway.services.calls
    await client.store('x')
    const columns = `${OWNER_COLUMNS}, name, size, type, purpose, metadata, origin, created_at, expires_at`
    const copy = `INSERT INTO files (id, ${columns}) SELECT $1, ${columns} FROM files LIMIT 1`
    await files.db.transaction(Array.from({ length: 450 }, () => ({ sql: copy, values: [randomUUID()] })))
    await files.db.query('UPDATE files SET expires_at = now_ms() - 1')
    await sweepFiles(files)
    assert.deepEqual(await files.db.query('SELECT id FROM files'), [])
    assert.deepEqual(await blobsOnDisk(), [])
  })

  /** Sends a part of a request, and disconnects once the gateway has it. */
  async function sendAndLeave(bytes: Buffer): Promise<void> {
    const socket = open(gateway.gateway.url)
    await new Promise<void>((resolve) => socket.write(bytes, () => resolve()))
    socket.destroy()
    await once(socket, 'close')
  }

  /** The names of all files in storage, including partial ones. */
  async function blobsOnDisk(): Promise<string[]> {
    const root = join(gateway.gateway.gateway.services.calls.config.dataDir, 'blobs')
    const entries = await readdir(root, { recursive: true, withFileTypes: true })
    // The folder has a name of its own in a file.
    return entries.filter((entry) => entry.isFile() && entry.name !== 'folder-id').map(({ name }) => name)
  }
})
