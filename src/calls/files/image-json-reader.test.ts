import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import type { TempBytes } from './temp-file-writer.ts'
import { TempFiles } from './temp-files.ts'
import { CALLER, ImageJsonReader, PROVIDER } from './image-json-reader.ts'
import { MB } from '../../base/units/units.ts'

const folder = await mkdtemp(join(tmpdir(), 'gatehouse-lean-'))
const tempFiles = new TempFiles(folder, 'owner')
after(async () => {
  await tempFiles.close()
  await rm(folder, { recursive: true })
})

/** Longer than what is kept in memory, with every base64 character in it. */
const LONG = 'QUJDabc/+09_-'.repeat(15_000)

test('the result is the JSON with a marker for each image, wherever the chunks are cut', async () => {
  const oddNames = fc.constantFrom('', '"', '\\', '\n', 'é', '\\"', '\\\\"')
  const property = fc.asyncProperty(fc.jsonValue({ maxDepth: 3 }), oddNames, fc.nat(), async (inner, odd, cut) => {
    const whole = { before: inner, long: LONG, [`${odd}:`]: [`data:image/png;base64,${LONG}`, odd], after: inner }
    const text = Buffer.from(JSON.stringify(whole))
    const { value, longs } = await read([text.subarray(0, cut % text.length), text.subarray(cut % text.length)])
    assert.equal(longs.size, 2)
    const texts = new Map(
      await Promise.all([...longs].map(async ([mark, base64]) => [mark, await textOf(base64)] as const)),
    )
    const put = (found: unknown) => (typeof found === 'string' ? withTexts(found, texts) : found)
    assert.deepEqual(
      JSON.parse(JSON.stringify(value), (_, found) => put(found)),
      JSON.parse(String(text)),
    )
  })
  await fc.assert(property, { numRuns: 20 })
})

test('every cut of a text full of escapes is read alike', async () => {
  const text = Buffer.from(JSON.stringify({ 'a"\\': ['\\', '"', '\\"', ''], b: 'x\\\\' }))
  for (let cut = 0; cut <= text.length; cut++) {
    const { value } = await read([text.subarray(0, cut), text.subarray(cut)])
    assert.deepEqual(value, JSON.parse(String(text)))
  }
})

test('escaped slashes and broken lines are taken out of base64; all else is no image', async () => {
  const json = JSON.stringify({ a: LONG }).replaceAll('/', '\\/').replace('QUJD', 'QU\\r\\nJD')
  const { longs } = await read([Buffer.from(json)])
  assert.equal(await textOf([...longs.values()][0]!), LONG)
  for (const odd of ['\\"', '\\u0022', '\\u005c', '\\u00e9', 'é'])
    await assert.rejects(read([Buffer.from(`{"a":"${LONG}${odd}"}`)]), UpstreamProblem)
})

test('a caller may escape as they like, wherever it is cut; what is no data URL of an image stays as it is', async () => {
  const image = `data:image/png;name=a.png;base64,${LONG}`
  const text = JSON.stringify({ long: LONG, image }).replaceAll('/', '\\/').replaceAll('+', '\\u002B')
  const place = text.indexOf('\\u', text.indexOf('image/png') + 70_000)
  for (const cut of [place, place + 1, place + 2, place + 4, place + 6, text.indexOf(',') + 5, text.length - 3]) {
    const { value, longs } = await read([Buffer.from(text.slice(0, cut)), Buffer.from(text.slice(cut))], CALLER)
    const [[mark, base64] = []] = longs
    assert.deepEqual(value, { long: LONG, image: `data:image/png;name=a.png;base64,${mark}` })
    assert.equal(await textOf(base64!), LONG)
  }
  const odd = Buffer.from(`["data:image/png;base64,${LONG}\\u0022"]`)
  await assert.rejects(read([odd], CALLER), { message: /not base64/, status: 422 })
})

test('what is cut short, or goes on, is not JSON', async () => {
  for (const wrong of [`{"a":"data:image/png;base64,${LONG}`, '{"a":"b\\', '{"a":1}\\', '{"a":1}\\u00'])
    await assert.rejects(read([Buffer.from(wrong)], CALLER), SyntaxError)
})

test('long texts that are no image stay; too many of them are no answer', async () => {
  const prose = 'many words '.repeat(20_000)
  const { value, longs } = await read([Buffer.from(JSON.stringify({ prose }))])
  assert.deepEqual([value, longs.size], [{ prose }, 0])
  const chunk = Buffer.alloc(MB, 'many words ')
  await assert.rejects(read([Buffer.from('"'), ...Array<Buffer>(17).fill(chunk)]), { kind: 'protocol' })
})

test('a long text that is no image at its beginning is none in its middle; the next string is looked at again', async () => {
  const audio = `data:audio/mpeg;base64,${LONG}`
  const text = Buffer.from(JSON.stringify({ audio, image: LONG }))
  const chunks = Array.from({ length: Math.ceil(text.length / 40_000) }, (_, at) =>
    text.subarray(at * 40_000, (at + 1) * 40_000),
  )
  const { value, longs } = await read(chunks)
  assert.equal((value as { audio: string }).audio, audio)
  assert.deepEqual([...longs.keys()], [(value as { image: string }).image])
})

test('temp files have no name in the file system', async () => {
  const { longs } = await read([Buffer.from(JSON.stringify([LONG]))])
  assert.equal(longs.size, 1)
  assert.deepEqual(await readdir(join(folder, 'temp-files')), [])
})

async function read(
  chunks: Uint8Array[],
  writer = PROVIDER,
): Promise<{ value: unknown; longs: ImageJsonReader['longs'] }> {
  const reader = new ImageJsonReader(tempFiles, 'a-secret', writer)
  for (const chunk of chunks) await reader.push(chunk)
  return { value: JSON.parse(Buffer.from(reader.end()).toString()), longs: reader.longs }
}

function withTexts(found: string, texts: ReadonlyMap<string, string>): string {
  for (const [mark, text] of texts) if (found.endsWith(mark)) return found.slice(0, -mark.length) + text
  return found
}

async function textOf(base64: TempBytes): Promise<string> {
  let text = ''
  for await (const piece of base64.read()) text += Buffer.from(piece).toString('latin1')
  assert.equal(text.length, base64.length)
  return text
}
