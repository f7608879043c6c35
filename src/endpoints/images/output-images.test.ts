import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { sample } from '../../../test/soak/sample.ts'
import { jpeg, png, webp } from '../../base/sniff/fixtures/small-files.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import { type TempBytes, heldBytes } from '../../calls/files/temp-file-writer.ts'
import { readAll } from '../../calls/files/read-all.ts'
import { bytesOf, measure, toBase64, toOutputImage } from './output-images.ts'
import { TempFiles } from '../../calls/files/temp-files.ts'

const folder = await mkdtemp(join(tmpdir(), 'gatehouse-pictures-'))
const tempFiles = new TempFiles(folder, 'owner')
after(async () => {
  await tempFiles.close()
  await rm(folder, { recursive: true })
})
const NONE = new Map<string, TempBytes>()

test('bytes to base64 and back, however they arrive', async () => {
  const cuts = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(cuts, async (chunks) => {
      const base64 = await toBase64(from(chunks), tempFiles)
      assert.equal(await textOf(base64), Buffer.concat(chunks).toString('base64'))
      assert.deepEqual(Buffer.from(await readAll(bytesOf(base64))), Buffer.concat(chunks))
    }),
    { numRuns: sample(60, 200) },
  )
})

test('a large image goes by the disk, there and back, as often as it is read', async () => {
  const large = randomBytes(1_000_001)
  const base64 = await toBase64(from([large.subarray(0, 400_000), large.subarray(400_000)]), tempFiles)
  assert.equal(base64.length, Math.ceil(large.length / 3) * 4)
  for (let time = 0; time < 2; time++) assert.equal(await textOf(base64), large.toString('base64'))
  assert.deepEqual(Buffer.from(await readAll(bytesOf(base64))), large)
})

test('an image says its size and format at its beginning', async () => {
  const inBase64 = (bytes: Buffer) => toBase64(from([Buffer.concat([bytes, randomBytes(200_000)])]), tempFiles)
  assert.deepEqual(measure(await inBase64(png(640, 480))), { size: '640x480', format: 'png' })
  assert.deepEqual(measure(await inBase64(jpeg(31, 7))), { size: '31x7', format: 'jpeg' })
  assert.deepEqual(measure(await inBase64(webp.lossy(5, 6))), { size: '5x6', format: 'webp' })
  assert.deepEqual(measure(await inBase64(Buffer.from('hello'))), { size: undefined, format: undefined })
  assert.deepEqual(measure(heldBytes(Buffer.alloc(0))), { size: undefined, format: undefined })
})

test('base64 is taken from text, data URLs and the shelf; what would break out of a string is refused', async () => {
  for (const b64_json of ['QUJD', 'QU\r\nJD\n'])
    assert.equal(await textOf(toOutputImage({ b64_json }, NONE).base64!), 'QUJD')
  const { base64, ...rest } = toOutputImage({ url: 'data:image/png;base64,QUJD', revised_prompt: 'x' }, NONE)
  assert.deepEqual([await textOf(base64!), rest], ['QUJD', { revised_prompt: 'x' }])
  assert.deepEqual(toOutputImage({ url: 'https://cdn.test/a' }, NONE), { url: 'https://cdn.test/a' })
  const large = heldBytes(Buffer.from('QUJD'))
  for (const item of [{ b64_json: 'mark' }, { url: 'data:image/png;base64,mark' }])
    assert.equal(toOutputImage(item, new Map([['mark', large]])).base64, large)
  const bad = [{ b64_json: '' }, { b64_json: 'a"b' }, { b64_json: 'a\\b' }, { b64_json: 'é' }, {}]
  for (const b64_json of ['\u0000', '\ud800', 'a\u0007b']) bad.push({ b64_json })
  for (const item of bad) assert.throws(() => toOutputImage(item, NONE), UpstreamProblem)
})

async function* from(chunks: Uint8Array[]) {
  yield* chunks
}

async function textOf(base64: TempBytes): Promise<string> {
  let text = ''
  for await (const piece of base64.read()) text += Buffer.from(piece).toString('latin1')
  return text
}
