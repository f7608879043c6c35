import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import sharp from 'sharp'
import { Problem } from '../../contract/problems.ts'
import { openEnginePool } from './pool/engine-pool.ts'
import { installWithout } from './fixtures/install-without.ts'
import { pdfScanned } from './fixtures/pdf-scanned.ts'
import { QR_CODE } from './fixtures/example-images.ts'

const FOREVER = new AbortController().signal
const bare = await installWithout('sharp', 'pdfjs-dist')
const pool = openEnginePool({
  threads: 2,
  worker: pathToFileURL(join(bare, 'src/translation/engines/engine-worker.ts')),
})
after(async () => {
  await pool.close()
  await rm(bare, { recursive: true })
})

test('what needs a package that is not installed is refused with a 424 that names it', async () => {
  const tiff = new Uint8Array(await sharp(QR_CODE).tiff().toBuffer())
  await assert.rejects(pool.run('barcodes', { bytes: tiff }, FOREVER, 'owner'), naming('sharp'))
  const dictionary = '/ColorSpace/DeviceGray/BitsPerComponent 1/Filter/CCITTFaxDecode/DecodeParms<</K -1/Columns 8>>'
  const fax = { width: 8, height: 1, dictionary, bytes: Buffer.from([0x80, 0x10]) }
  const scan = pool.run('scan', { bytes: pdfScanned([fax], '/S0 Do'), page: 1 }, FOREVER, 'owner')
  await assert.rejects(scan, naming('pdfjs-dist'))
})

test('what can be opened without it is', async () => {
  const turned = await sharp(QR_CODE).jpeg({ quality: 95 }).withMetadata({ orientation: 6 }).toBuffer()
  for (const bytes of [QR_CODE, new Uint8Array(turned)]) {
    const [found] = await pool.run('barcodes', { bytes }, FOREVER, 'owner')
    assert.equal(found?.text, 'https://example.com/gate')
  }
})

function naming(name: string) {
  return (error: unknown) => {
    assert.ok(error instanceof Problem, String(error))
    assert.ok(error.message.includes(`'${name}'`), error.message)
    return error.status === 424
  }
}
