import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jpeg, png } from '../blobs/sniff/fixtures/small-files.ts'
import { Problem } from '../contract/problems.ts'
import type { ImageFace } from '../dialects/image-face.ts'
import type { Call } from './call.ts'
import { type GivenImage, imageInputs } from './image-inputs.ts'
import type { ImageTarget } from './image-target.ts'
import type { Outside } from './outside.ts'
import { heldBytes } from './shelf-sink.ts'

const URL_GIVEN: GivenImage = { image: { image_url: 'https://example.com/a.png' }, loc: ['body', 'images', 0] }
const BYTES_GIVEN: GivenImage = { image: uploaded(jpeg(4, 4)), loc: ['body', 'image', 1] }

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
  const photo = (count: number) => ({ image: uploaded(jpeg(4, 4, { before: segments(count) })), loc: ['body'] })
  assert.equal((await read([photo(10)], 'bytes')).inputs.length, 1)
  await assert.rejects(read([photo(17)], 'bytes'), /header is whole/)
})

test('an upload that is large stays where it lies for a wire that streams, and is read for others and for signatures', async () => {
  const bytes = Buffer.concat([png(8, 8), Buffer.alloc(200_000)])
  const given = [{ image: uploaded(bytes), loc: ['body'] }]
  const [streamed] = (await read(given, 'bytes', undefined, { streams: true })).inputs
  assert.ok(streamed && 'source' in streamed)
  assert.deepEqual([streamed.source!.length, streamed.bytes.length], [bytes.length, 0])
  for (const more of [{}, { streams: true as const, scheme: 'aws' as const }]) {
    const [held] = (await read(given, 'bytes', undefined, more)).inputs
    assert.ok(held && 'bytes' in held && !held.source)
    assert.deepEqual(Buffer.from(held.bytes), bytes)
  }
})

function uploaded(bytes: Buffer) {
  return { ...heldBytes(bytes), digest: 'x' }
}

type More = { streams?: true; scheme?: 'aws' | 'bearer' }

async function read(given: GivenImage[], inputs: ImageFace['inputs'], found: Buffer = png(8, 8), more: More = {}) {
  const fetched: string[] = []
  const egress = {
    get: async ({ url }: { url: string }) => {
      fetched.push(url)
      return { status: 200, body: [] }
    },
    read: async () => found,
  }
  const outside = { egress, files: { maxFileBytes: 10_000_000 } } as unknown as Outside
  const { streams, scheme = 'bearer' } = more
  const target = { face: { inputs, ...(streams && { streams }) }, provider: { auth: { scheme } } } as ImageTarget
  const call = { caller: { owner: 'o' }, signal: new AbortController().signal } as Call
  return { inputs: await imageInputs(given, target, call, outside), fetched }
}
