import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { pages, plainPdf } from '../../../src/base/sniff/fixtures/pdfs.ts'
import { errorIn, type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'

// Reading a page costs 0.002 USD, and the budget pays for ten.

const MODEL = 'ocr/ocr/mistral/mistral-ocr-2512'
const budget = { id: 'ten-pages', appliesTo: 'all', limit: 0.02, window: 'total' }

let scene: LimitsGateway
before(async () => {
  const env = { MISTRAL_API_KEY: 'sk-fake-0123456789', ALLOW_NETWORKS: '127.0.0.0/8' }
  scene = await startLimitsGateway({}, env, { moves: ['MISTRAL'] })
  await scene.limit({ budgets: [budget] })
})
beforeEach(() => scene.fake.reset())
after(() => scene.close())

/** The first request to the fake fetches the file, and the next one asks the provider to read it. */
function read(file: Buffer): Promise<Response> {
  scene.fake.next((_, response) => void response.end(file))
  return scene.post('/v3/universal-ai', { model: MODEL, input: { file: `${scene.fake.url}/a.pdf` } })
}

test('the pages of a document from an address are counted before it is read', async () => {
  const error = await errorIn(await read(plainPdf(pages(100))), 402)
  assert.deepEqual([error.needed, scene.fake.requests.length], ['0.20', 1])
  await (await read(plainPdf(pages(3)))).arrayBuffer()
  assert.equal(scene.fake.requests.length, 3)
})

test('a document whose pages cannot be counted may have many', async () => {
  const whole = plainPdf(pages(100))
  const error = await errorIn(await read(whole.subarray(0, 3_200)), 402)
  assert.deepEqual([error.needed, scene.fake.requests.length], ['0.40', 1])
})

test('every picture of a TIFF file is a page', async () => {
  const directories = Array.from({ length: 100 }, (_, index) => {
    const directory = Buffer.alloc(6)
    directory.writeUInt32LE(index === 99 ? 0 : 8 + 6 * (index + 1), 2)
    return directory
  })
  const tiff = Buffer.concat([Buffer.from('49492a0008000000', 'hex'), ...directories])
  const error = await errorIn(await read(tiff), 402)
  assert.deepEqual([error.needed, scene.fake.requests.length], ['0.20', 1])
})
