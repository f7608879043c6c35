import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { FairSemaphore } from '../../base/fairness/fair-semaphore.ts'
import { TempFile } from './temp-file.ts'

const folder = await mkdtemp(join(tmpdir(), 'gatehouse-temp-files-'))
after(() => rm(folder, { recursive: true }))

test('what was appended is read back, any part of it, as often as wanted; there is never a name', async () => {
  const tempFile = new TempFile(join(folder, 'here'))
  const bytes = randomBytes(300_000)
  for (const [from, to] of [
    [0, 1],
    [1, 200_000],
    [200_000, bytes.length],
  ] as const)
    await tempFile.append(bytes.subarray(from, to))
  assert.equal(tempFile.size, bytes.length)
  for (const [from, to] of [
    [0, bytes.length],
    [65_535, 140_000],
    [7, 7],
  ] as const)
    assert.deepEqual(await partOf(tempFile, from, to), bytes.subarray(from, to))
  assert.deepEqual(await readdir(join(folder, 'here')), [])
  await assert.rejects(partOf(tempFile, 0, bytes.length + 1), /ends early/)
  await tempFile.close()
})

test('a failing disk is reported as a problem of the gateway, and a file that was never used can be closed', async () => {
  await writeFile(join(folder, 'a file'), '')
  const tempFile = new TempFile(join(folder, 'a file'))
  await assert.rejects(tempFile.append(Buffer.from('x')), { code: 'unavailable' })
  await tempFile.close()
  await new TempFile(folder).close()
})

async function partOf(tempFile: TempFile, from: number, to: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of tempFile.read(from, to)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

test('an owner with too much on its way is refused, and another one is not', async (t) => {
  const disk = new FairSemaphore({ capacity: 8 })
  const [large, more] = [new TempFile(folder, 'a', disk), new TempFile(folder, 'a', disk)]
  const other = new TempFile(folder, 'b', disk)
  t.after(() => Promise.all([large.close(), more.close(), other.close()]))
  await large.append(new Uint8Array(6))
  await assert.rejects(more.append(new Uint8Array(1)), { code: 'unavailable' })
  await other.append(new Uint8Array(1))
  await large.close()
  await more.append(new Uint8Array(5))
  assert.equal(disk.used, 6)
})
