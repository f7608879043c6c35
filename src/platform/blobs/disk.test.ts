import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, open, readdir, rm, rmdir, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, mock, test } from 'node:test'
import { sample } from '../../../test/soak/sample.ts'
import { Problem } from '../../contract/problems.ts'
import type { BlobStore } from './blob-store.ts'
import { openDisk } from './disk.ts'
import { MB, HOUR_MS } from '../../base/units/units.ts'

const UPLOADS = 50
const UPLOAD_BYTES = sample(5, 100) * MB
const RSS_GROWTH_BYTES = 120 * MB

let dataDir: string
let store: BlobStore
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-disk-'))
  store = await openDisk(dataDir)
})
after(() => rm(dataDir, { recursive: true }))

test('only the gateway may read files and folders', async () => {
  const id = randomUUID()
  await store.write(id, chunks('secret'), { maxBytes: 100 })
  const folder = join(dataDir, 'blobs', id.slice(0, 2))
  assert.equal((await stat(join(folder, id))).mode & 0o777, 0o600)
  for (const path of [folder, join(dataDir, 'blobs'), join(dataDir, 'blobs', 'partial')])
    assert.equal((await stat(path)).mode & 0o777, 0o700, path)
  await store.delete(id)
})

test('a file that is deleted before its first byte is read is not found', async () => {
  const id = randomUUID()
  await store.write(id, chunks('here'), { maxBytes: 100 })
  const found = await store.read(id)
  await store.delete(id)
  await assert.rejects(text(found!), (error) => error instanceof Problem && error.code === 'not_found')
})

describe('a disk that fails', () => {
  const FAULTS = [
    { method: 'write', code: 'ENOSPC', sentence: /full/ },
    { method: 'write', code: 'EIO', sentence: /failed \(EIO\)/ },
    { method: 'sync', code: 'ENOSPC', sentence: /full/ },
    { method: 'sync', code: 'EIO', sentence: /failed \(EIO\)/ },
  ] as const
  for (const { method, code, sentence } of FAULTS)
    test(`${code} on ${method}: refused, no trace, and the next upload works`, async () => {
      const handles = await fileHandlePrototype()
      const failing = mock.method(handles, method, async () => {
        throw Object.assign(new Error(`${code}: ${dataDir}`), { code })
      })
      const id = randomUUID()
      await assert.rejects(store.write(id, chunks('a', 'b'), { maxBytes: 100 }), (error) => {
        assert.ok(error instanceof Problem)
        assert.equal(error.code, 'unavailable')
        assert.match(error.message, sentence)
        return !error.message.includes(dataDir)
      })
      failing.mock.restore()
      assert.deepEqual(await filesBelow(), [])
      await store.write(id, chunks('a', 'b'), { maxBytes: 100 })
      assert.equal(await store.delete(id), true)
    })

  test('a disk that takes half of every write still stores the whole file', async () => {
    const handles = await fileHandlePrototype()
    const real = handles.write as (...args: unknown[]) => Promise<unknown>
    const half = function (this: unknown, bytes: Uint8Array, offset: number, length: number) {
      return real.call(this, bytes, offset, Math.ceil(length / 2))
    }
    const slow = mock.method(handles, 'write', half as never)
    const id = randomUUID()
    await store.write(id, chunks('abcdefgh', 'ijk'), { maxBytes: 100 })
    slow.mock.restore()
    assert.equal(await text((await store.read(id))!), 'abcdefghijk')
    await store.delete(id)
  })

  test('a rename that fails: no trace', async () => {
    const id = randomUUID()
    // There is a folder in the place of the file, so the rename cannot succeed, whichever user runs this test.
    await store.write(id, chunks('x'), { maxBytes: 100 })
    await store.delete(id)
    const place = join(dataDir, 'blobs', id.slice(0, 2), id)
    await mkdir(place)
    await assert.rejects(store.write(id, chunks('x'), { maxBytes: 100 }), Problem)
    assert.deepEqual(await filesBelow(), [])
    await rmdir(place)
  })
})

describe('what crashed writes have left', () => {
  const host = Buffer.from(hostname()).toString('hex').slice(0, 64)

  test('a process killed in the middle of a write leaves nothing after the next start', async () => {
    const child = fork(join(import.meta.dirname, 'fixtures', 'endless-write.ts'), [dataDir])
    await once(child, 'message')
    assert.equal((await partials()).length, 1)
    await openDisk(dataDir)
    assert.equal((await partials()).length, 1, 'the file of a process that lives is left alone')
    child.kill('SIGKILL')
    await once(child, 'exit')
    await openDisk(dataDir)
    assert.deepEqual(await partials(), [])
  })

  test('is removed if its name or its age shows that the writer is dead', async () => {
    const [now, old] = [new Date(), new Date(Date.now() - 25 * HOUR_MS)]
    const cases = [
      // An earlier run with the same process id, as in a container.
      { name: `${host}.${process.pid}.${randomUUID()}`, touched: now, stays: false },
      { name: `${host}.1.${randomUUID()}`, touched: now, stays: true },
      { name: `00ff.${process.pid}.${randomUUID()}`, touched: now, stays: true },
      { name: `00ff.${process.pid}.${randomUUID()}`, touched: old, stays: false },
      { name: 'something else', touched: now, stays: true },
    ]
    for (const { name, touched } of cases) await writePartial(name, touched)
    await openDisk(dataDir)
    const kept = cases.filter(({ stays }) => stays).map(({ name }) => name)
    assert.deepEqual((await partials()).sort(), kept.sort())
    for (const name of kept) await rm(join(dataDir, 'blobs', 'partial', name))
  })

  test('is not a folder that another program made, however old', async () => {
    const folder = join(dataDir, 'blobs', 'partial', 'lost+found')
    const old = new Date(Date.now() - 25 * HOUR_MS)
    await mkdir(folder)
    await utimes(folder, old, old)
    await openDisk(dataDir)
    assert.deepEqual(await partials(), ['lost+found'])
    await rmdir(folder)
  })

  async function writePartial(name: string, touched: Date) {
    const path = join(dataDir, 'blobs', 'partial', name)
    await writeFile(path, 'x')
    await utimes(path, touched, touched)
  }

  function partials() {
    return readdir(join(dataDir, 'blobs', 'partial'))
  }
})

test(`${UPLOADS} uploads of ${UPLOAD_BYTES / MB} MB at once are streamed, not held`, async (context) => {
  const block = Buffer.alloc(64 * 1024, 'x')
  const before = process.memoryUsage.rss()
  let peak = before
  const sampler = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20)
  const ids = Array.from({ length: UPLOADS }, () => randomUUID())
  try {
    const written = await Promise.all(ids.map((id) => store.write(id, repeat(block), { maxBytes: UPLOAD_BYTES })))
    for (const { size } of written) assert.equal(size, UPLOAD_BYTES)
  } finally {
    clearInterval(sampler)
    for (const id of ids) await store.delete(id)
  }
  const growth = peak - before
  assert.ok(growth < RSS_GROWTH_BYTES, `memory grew by ${Math.round(growth / MB)} MB`)
  context.diagnostic(`memory grew by ${Math.round(growth / MB)} MB`)
  assert.deepEqual(await filesBelow(), [])
})

async function* repeat(block: Uint8Array) {
  for (let sent = 0; sent < UPLOAD_BYTES; sent += block.length) yield block
}

async function* chunks(...texts: string[]) {
  for (const part of texts) yield Buffer.from(part)
}

async function filesBelow(): Promise<string[]> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

/** The prototype of all open files. A failure that is injected there hits the store without its knowledge. */
async function fileHandlePrototype() {
  const handle = await open(import.meta.filename)
  await handle.close()
  return Object.getPrototypeOf(handle) as { write: () => Promise<unknown>; sync: () => Promise<unknown> }
}
