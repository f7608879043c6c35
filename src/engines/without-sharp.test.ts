import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import sharp from 'sharp'
import { Problem } from '../contract/problems.ts'
import { openEnginePool } from './engine-pool.ts'
import { QR_CODE } from './fixtures/pictures.ts'

const FOREVER = new AbortController().signal
const pool = openEnginePool({ threads: 1, worker: new URL('./fixtures/worker-without-sharp.ts', import.meta.url) })
after(pool.close)

test('without sharp, what needs it is refused with a 424 that names it', async () => {
  const bytes = new Uint8Array(await sharp(QR_CODE).tiff().toBuffer())
  await assert.rejects(pool.run('barcodes', { bytes }, FOREVER), (error) => {
    assert.ok(error instanceof Problem)
    assert.match(error.message, /'sharp'/)
    return error.status === 424
  })
})

test('without sharp, what can be opened without it is', async () => {
  const turned = await sharp(QR_CODE).jpeg({ quality: 95 }).withMetadata({ orientation: 6 }).toBuffer()
  for (const bytes of [QR_CODE, new Uint8Array(turned)]) {
    const [found] = await pool.run('barcodes', { bytes }, FOREVER)
    assert.equal(found?.text, 'https://example.com/gate')
  }
})
