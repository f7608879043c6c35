import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { png } from '../../src/base/sniff/fixtures/small-files.ts'
import { json, startFakeImages } from '../fakes/images.ts'
import { sample } from '../soak/sample.ts'
import { API_KEY } from '../gateway/gateway-under-test.ts'
import { startProcess, temporaryFolder } from '../gateway/gateway-process.ts'
import { MB } from '../../src/base/units/units.ts'

// Large images through a gateway in a process of its own, so that only the gateway's memory is measured.

const AT_ONCE = sample(3, 10)
/** Images are held on disk, so more of them do not take more memory. */
const MAX_GROWTH_MB = 65
/** For the whole process. It has 215 to 230 a moment after its start, of which a collection would free 40. */
const MAX_TOTAL_MB = 280
const LOOK_MS = 5
const IMAGE = Buffer.concat([png(1024, 1024), randomBytes(4 * MB)])
const BASE64 = IMAGE.toString('base64')
const DATA_URL = `data:image/png;base64,${BASE64}`

const fake = await startFakeImages()
const folder = await temporaryFolder()
const gateway = await startProcess({
  DATA_DIR: folder.data,
  GATEHOUSE_API_KEY: API_KEY,
  OPENAI_API_KEY: 'sk-test',
  OPENAI_BASE_URL: fake.url,
  XAI_API_KEY: 'xai-test',
  XAI_BASE_URL: fake.url,
})
after(async () => {
  await gateway.stop()
  await fake.close()
  await folder.remove()
})

test(`${AT_ONCE} images of 4 MB at once, drawn and sent along in every way, take less than ${MAX_GROWTH_MB} MB`, async (t) => {
  await generate()
  const file_id = await upload()
  const before = await residentMb()
  const stop = new AbortController()
  const looking = lookAt(stop.signal)
  for (let index = 0; index < AT_ONCE; index++) fake.next(json({ data: [{ b64_json: BASE64 }] }))
  const drawn = await Promise.all(Array.from({ length: AT_ONCE }, generate))
  assert.ok(drawn.every((text) => text.includes(BASE64)))
  for (const edit of [
    () => editForm(),
    () => editJson('openai/gpt-image-2', { image_url: DATA_URL }),
    () => editJson('openai/gpt-image-2', { file_id }),
    () => editJson('xai/grok-imagine-image', { image_url: DATA_URL }),
  ]) {
    const edited = await Promise.all(Array.from({ length: AT_ONCE }, edit))
    assert.ok(edited.every((text) => text.includes('b64_json')))
    const sent = fake.requests.splice(0).slice(-AT_ONCE)
    assert.ok(sent.every(({ bytes }) => bytes.includes(IMAGE) || bytes.includes(BASE64)))
  }
  stop.abort()
  const [idle, peak] = [Math.round(before), Math.round(await looking)]
  t.diagnostic(`idle ${idle} MB, at most ${peak} MB: ${peak - idle} MB more`)
  assert.ok(peak - idle < MAX_GROWTH_MB, `it grew by ${peak - idle} MB`)
  assert.ok(peak < MAX_TOTAL_MB, `it took ${peak} MB`)
})

async function generate(): Promise<string> {
  const body = JSON.stringify({ model: 'openai/gpt-image-2', prompt: 'x' })
  return await post('/v3/images/generations', body, { 'content-type': 'application/json' })
}

async function editJson(model: string, image: object): Promise<string> {
  const body = JSON.stringify({ model, prompt: 'x', images: [image] })
  return await post('/v3/images/edits', body, { 'content-type': 'application/json' })
}

async function upload(): Promise<string> {
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(IMAGE)]), 'a.png')
  return JSON.parse(await post('/v3/upload', form, {})).file_id
}

async function editForm(): Promise<string> {
  const form = new FormData()
  form.set('model', 'openai/gpt-image-2')
  form.set('prompt', 'x')
  form.set('image', new Blob([new Uint8Array(IMAGE)]), 'a.png')
  return await post('/v3/images/edits', form, {})
}

async function post(path: string, body: string | FormData, headers: Record<string, string>): Promise<string> {
  const all = { authorization: `Bearer ${API_KEY}`, ...headers }
  const response = await fetch(gateway.url + path, { method: 'POST', headers: all, body })
  assert.ok(response.ok, String(response.status))
  return await response.text()
}

/** The peak memory until the signal aborts. */
async function lookAt(signal: AbortSignal): Promise<number> {
  let peak = 0
  while (!signal.aborted) {
    peak = Math.max(peak, await residentMb())
    await sleep(LOOK_MS)
  }
  return peak
}

async function residentMb(): Promise<number> {
  const status = await readFile(`/proc/${gateway.child.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) / 1024
}
