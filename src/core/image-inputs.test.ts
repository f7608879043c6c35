import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { jpeg, png } from '../blobs/sniff/fixtures/small-files.ts'
import { Problem } from '../contract/problems.ts'
import type { ImageFace } from '../dialects/image-face.ts'
import type { Call } from './call.ts'
import { type GivenImage, imageInputs } from './image-inputs.ts'
import type { ImageTarget } from './image-target.ts'
import type { Outside } from './outside.ts'
import { ImageShelf } from './image-shelf.ts'
import { heldBytes, loaded } from './shelf-sink.ts'

const folder = await mkdtemp(join(tmpdir(), 'gatehouse-inputs-'))
const shelf = new ImageShelf(folder, 'somebody')
after(async () => {
  await shelf.close()
  await rm(folder, { recursive: true })
})

const URL_GIVEN: GivenImage = { image: { image_url: 'https://example.com/a.png' }, loc: ['body', 'images', 0] }
const BYTES_GIVEN: GivenImage = { image: heldBytes(jpeg(4, 4)), loc: ['body', 'image', 1] }

test('an address is passed on where the wire takes one, and fetched where it takes bytes', async () => {
  const passed = await read([URL_GIVEN, BYTES_GIVEN], 'urls')
  assert.deepEqual(passed.inputs[0], { url: 'https://example.com/a.png' })
  assert.deepEqual(passed.fetched, [])
  const taken = await read([BYTES_GIVEN, URL_GIVEN, BYTES_GIVEN], 'bytes')
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
    await assert.rejects(read([URL_GIVEN], 'bytes', bytes), (error) => {
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
  await assert.rejects(read([photo(17)], 'bytes'), /header is whole/)
})

test('what is large stays where it lies, uploaded or fetched', async () => {
  const bytes = Buffer.concat([png(8, 8), Buffer.alloc(200_000)])
  for (const given of [{ image: heldBytes(bytes), loc: ['body'] }, URL_GIVEN]) {
    const [streamed] = (await read([given], 'bytes', bytes)).inputs
    assert.ok(streamed && 'source' in streamed && streamed.source)
    assert.deepEqual([streamed.mediaType, streamed.bytes.length], ['image/png', 0])
    assert.deepEqual(Buffer.from(await loaded(streamed.source)), bytes)
  }
})

async function read(given: GivenImage[], inputs: ImageFace['inputs'], found: Buffer = png(8, 8)) {
  const fetched: string[] = []
  const egress = {
    get: async ({ url }: { url: string }) => {
      fetched.push(url)
      return { status: 200, body: [] }
    },
    read: (_body: unknown, _loc: unknown, take: (body: AsyncIterable<Uint8Array>) => unknown) => take(piecesOf(found)),
  }
  const outside = { egress, files: { maxFileBytes: 10_000_000 }, newId: randomUUID } as unknown as Outside
  const target = { face: { inputs }, provider: { auth: { scheme: 'bearer' } } } as ImageTarget
  const call = { caller: { owner: 'o' }, signal: new AbortController().signal } as Call
  return { inputs: await imageInputs(given, target, call, outside, shelf), fetched }
}

async function* piecesOf(bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += 50_000) yield bytes.subarray(at, at + 50_000)
}
