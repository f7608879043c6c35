import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { jpeg, png, webp } from '../blobs/sniff/fixtures/small-files.ts'
import { UpstreamProblem } from '../contract/upstream-problem.ts'
import { measure, toBase64, toBytes, toPicture } from './image-pictures.ts'

test('bytes to base64 and back, however they arrive', async () => {
  const cuts = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(cuts, async (chunks) => {
      const base64 = await toBase64(from(chunks))
      assert.equal(Buffer.concat(base64).toString('latin1'), Buffer.concat(chunks).toString('base64'))
      assert.deepEqual(Buffer.from(toBytes(base64)), Buffer.concat(chunks))
    }),
    { numRuns: 200 },
  )
  const large = randomBytes(1_000_001)
  assert.deepEqual(Buffer.from(toBytes([Buffer.from(large.toString('base64'), 'latin1')])), large)
})

test('an image says its size and format at its beginning', () => {
  const inBase64 = (bytes: Buffer) => [
    Buffer.from(Buffer.concat([bytes, randomBytes(200_000)]).toString('base64'), 'latin1'),
  ]
  assert.deepEqual(measure(inBase64(png(640, 480))), { size: '640x480', format: 'png' })
  assert.deepEqual(measure(inBase64(jpeg(31, 7))), { size: '31x7', format: 'jpeg' })
  assert.deepEqual(measure(inBase64(webp.lossy(5, 6))), { size: '5x6', format: 'webp' })
  assert.deepEqual(measure(inBase64(Buffer.from('hello'))), { size: undefined, format: undefined })
  assert.deepEqual(measure([]), { size: undefined, format: undefined })
})

test('base64 is taken from text, bytes and data URLs; what would break out of a string is refused', () => {
  const expected = { base64: [Buffer.from('QUJD')] }
  assert.deepEqual(toPicture({ b64_json: 'QUJD' }), expected)
  assert.deepEqual(toPicture({ b64_json: 'QU\r\nJD\n' }), expected)
  assert.deepEqual(toPicture({ base64: Buffer.from('QUJD') }), expected)
  assert.deepEqual(toPicture({ url: 'data:image/png;base64,QUJD', revised_prompt: 'x' }), {
    ...expected,
    revised_prompt: 'x',
  })
  assert.deepEqual(toPicture({ url: 'https://cdn.test/a' }), { url: 'https://cdn.test/a' })
  const bad = [{ b64_json: '' }, { b64_json: 'a"b' }, { b64_json: 'a\\b' }, { b64_json: 'é' }, {}]
  for (const item of [...bad, { base64: Buffer.from('a\nb') }, { base64: Buffer.from([0xff]) }])
    assert.throws(() => toPicture(item), UpstreamProblem)
})

async function* from(chunks: Uint8Array[]) {
  yield* chunks
}
