import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { jpeg, png } from '../../base/sniff/fixtures/small-files.ts'
import { Problem } from '../../contract/problems.ts'
import type { ImageCodec } from '../../translation/dialects/image-codec.ts'
import type { Call } from '../../calls/call.ts'
import { fileAccessOf } from '../../calls/file-inputs/file-references.ts'
import { type InputImage, imageInputs } from './inputs.ts'
import type { ImageTarget } from './target.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { TempFiles } from '../../calls/files/temp-files.ts'
import { heldBytes, loaded } from '../../calls/files/temp-file-writer.ts'

const folder = await mkdtemp(join(tmpdir(), 'gatehouse-inputs-'))
const tempFiles = new TempFiles(folder, 'owner')
after(async () => {
  await tempFiles.close()
  await rm(folder, { recursive: true })
})

const URL_INPUT: InputImage = { image: { image_url: 'https://example.com/a.png' }, loc: ['body', 'images', 0] }
const BYTES_INPUT: InputImage = { image: heldBytes(jpeg(4, 4)), loc: ['body', 'image', 1] }

test('an address is passed on where the wire takes one, and fetched where it takes bytes', async () => {
  const passed = await read([URL_INPUT, BYTES_INPUT], 'urls')
  assert.deepEqual(passed.inputs[0], { url: 'https://example.com/a.png' })
  assert.deepEqual(passed.fetched, [])
  const taken = await read([BYTES_INPUT, URL_INPUT, BYTES_INPUT], 'bytes')
  assert.deepEqual(taken.fetched, ['https://example.com/a.png'])
  assert.deepEqual(
    taken.inputs.map((input) => 'bytes' in input && [input.mediaType, input.name]),
    [
      ['image/jpeg', 'image.jpeg'],
      ['image/png', 'image.png'],
      ['image/jpeg', 'image.jpeg'],
    ],
  )
})

test('what was fetched is looked at like everything else, at its place', async () => {
  for (const [bytes, words] of [
    [png(20_000, 20_000), /100 megapixels/],
    [Buffer.from('<html>'), /should be an image/],
  ] as const)
    await assert.rejects(read([URL_INPUT], 'bytes', bytes), (error) => {
      assert.ok(error instanceof Problem)
      assert.deepEqual(error.details.detail![0]!.loc, ['body', 'images', 0, 'image_url'])
      return words.test(error.message) && error.status === 422
    })
})

test('a size that stands further back than cameras put it is still found; one beyond a megabyte is not', async () => {
  const segments = (count: number) =>
    Buffer.concat(Array(count).fill(Buffer.from(`\xff\xe2\xff\xff${'x'.repeat(65_533)}`, 'latin1')))
  const photo = (count: number) => ({ image: heldBytes(jpeg(4, 4, { before: segments(count) })), loc: ['body'] })
  assert.equal((await read([photo(10)], 'bytes')).inputs.length, 1)
  await assert.rejects(read([photo(17)], 'bytes'), /complete header/)
})

test('what is large stays where it lies, uploaded or fetched', async () => {
  const bytes = Buffer.concat([png(8, 8), Buffer.alloc(200_000)])
  for (const original of [{ image: heldBytes(bytes), loc: ['body'] }, URL_INPUT]) {
    const [streamed] = (await read([original], 'bytes', bytes)).inputs
    assert.ok(streamed && 'source' in streamed && streamed.source)
    assert.deepEqual([streamed.mediaType, streamed.bytes.length], ['image/png', 0])
    assert.deepEqual(Buffer.from(await loaded(streamed.source)), bytes)
  }
})

async function read(original: InputImage[], inputs: ImageCodec['inputs'], found: Buffer = png(8, 8)) {
  const fetched: string[] = []
  const callerUrls = {
    get: async ({ url }: { url: string }) => {
      fetched.push(url)
      return { status: 200, body: [] }
    },
    read: (_body: unknown, _loc: unknown, take: (body: AsyncIterable<Uint8Array>) => unknown) => take(piecesOf(found)),
  }
  const services = { callerUrls, files: { maxFileBytes: 10_000_000 }, newId: randomUUID } as unknown as CallServices
  const target = { codec: { inputs }, provider: { auth: { scheme: 'bearer' } } } as ImageTarget
  const call = { caller: { owner: 'o' }, signal: new AbortController().signal } as Call
  return { inputs: await imageInputs(original, target, fileAccessOf(call, tempFiles), services), fetched }
}

async function* piecesOf(bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += 50_000) yield bytes.subarray(at, at + 50_000)
}
