import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inflateSync } from 'node:zlib'
import { imageSize } from '../../base/sniff/image-size.ts'
import type { WireRequest } from '../wire/wire.ts'
import { type FormPart, formBody } from '../dialects/form-body.ts'
import { readText } from '../../platform/net/read-text.ts'
import { createSandbox } from './sandbox.ts'
import { MB } from '../../base/units/units.ts'

const send = createSandbox({ now: () => 7_000 })

type Answer = {
  created: number
  data: { b64_json: string }[]
  size: string
  usage: { total_tokens: number }
  error: { param: string; code: string | null }
}

test('it draws a whole PNG of the asked size', async () => {
  for (const [width, height] of [
    [1, 1],
    [3, 2],
    [640, 480],
    [17, 1],
    [1024, 1536],
  ] as const) {
    const { status, body } = await generate({ size: `${width}x${height}` })
    const png = Buffer.from(body.data[0]!.b64_json, 'base64')
    assert.deepEqual([status, body.created, body.size], [200, 7, `${width}x${height}`])
    assert.deepEqual(imageSize(png), { width, height })
    const start = png.indexOf('IDAT') + 4
    const rows = inflateSync(png.subarray(start, start + png.readUInt32BE(start - 8)))
    assert.equal(rows.length, height * (1 + Math.ceil(width / 2)))
  }
})

test('the same words give the same picture, others another; several differ', async () => {
  const [one, again, other] = [await generate({}), await generate({}), await generate({ prompt: 'a moat' })]
  assert.deepEqual(one.body, again.body)
  assert.notEqual(one.body.data[0]!.b64_json, other.body.data[0]!.b64_json)
  const three = (await generate({ n: 3, size: '8x8' })).body.data.map(({ b64_json }) => b64_json)
  assert.equal(new Set(three).size, 3)
  assert.ok(one.body.usage.total_tokens > 0)
})

test('what it cannot draw it refuses as a provider would', async () => {
  for (const [field, options] of [
    ['size', { size: '4097x4097' }],
    ['size', { size: '0x5' }],
    ['size', { size: 'huge' }],
    ['n', { n: 11 }],
    ['prompt', { prompt: '' }],
  ] as const) {
    const { status, body } = await generate(options)
    assert.deepEqual([status, body.error.param], [400, field])
  }
  assert.equal((await generate({ model: 'echo' })).status, 404)
})

test('edits come as a form with an image', async () => {
  const fields: FormPart[] = Object.entries({ model: 'image', prompt: 'x', size: '4x4', n: '2' })
  const file: FormPart = ['image[]', { bytes: Buffer.from('png'), mediaType: 'image/png', name: 'a.png' }]
  const { status, body } = await edit([...fields, file])
  assert.deepEqual([status, body.data.length, body.size], [200, 2, '4x4'])
  assert.equal((await edit(fields)).body.error.param, 'image')
})

function edit(parts: readonly FormPart[]) {
  const { contentType, body } = formBody(parts)
  return ask({ url: 'sandbox://local/images/edits', headers: { 'content-type': contentType }, body })
}

function generate(options: object) {
  const body = JSON.stringify({ model: 'image', prompt: 'a gate', ...options })
  return ask({ url: 'sandbox://local/images/generations', headers: { 'content-type': 'application/json' }, body })
}

async function ask(request: Omit<WireRequest, 'method'>): Promise<{ status: number; body: Answer }> {
  const timeouts = { headersMs: 1_000, idleMs: 1_000 }
  const options = { signal: new AbortController().signal, timeouts, owner: 'owner' }
  const { status, body } = await send({ method: 'POST', ...request }, options)
  return { status, body: JSON.parse(await readText(body, 64 * MB)) }
}
