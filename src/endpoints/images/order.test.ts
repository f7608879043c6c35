import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANY_CALLER } from '../../../test/fakes/any-caller.ts'
import { DEFAULT_TIMEOUTS } from '../../platform/config/timeouts.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import { type Send, WireFailure, type WireRequest } from '../../translation/wire/wire.ts'
import type { ImageCall, ImageCodec, ImageStep } from '../../translation/dialects/image-codec.ts'
import { SlowWork } from '../../calls/attempts/slow-work.ts'
import { newCall } from '../../calls/call.ts'
import type { Model } from '../../platform/catalog/catalog.ts'
import { fillAll, type ImageOrder, ordersFor } from './order.ts'
import { TempFiles } from '../../calls/files/temp-files.ts'
import type { ImageTarget } from './target.ts'
import type { CallServices } from '../../calls/services/call-services.ts'

const REQUEST: ImageCall = {
  mode: 'generate',
  prompt: 'x',
  n: 1,
  size: undefined,
  quality: undefined,
  responseFormat: undefined,
  extra: {},
  images: [],
  mask: undefined,
}
const POLL: WireRequest = { method: 'GET', url: 'https://provider.test/ticket', headers: {}, body: null }
const DONE: ImageStep = { done: true, reply: { data: [{ url: 'https://cdn.test/a.png' }] } }
const WAIT: ImageStep = { done: false, poll: POLL, afterMs: 5 }

test('more images than the wire makes at once are several orders; equal ones share what is sent', () => {
  const counts = (n: number, max: number) => {
    const orders = ordersFor({ ...REQUEST, n }, { 'X-Extra': 'a' }, targetOf({ max }), aCall())
    return orders.map(({ wire }) => JSON.parse(String(wire.body)).n)
  }
  assert.deepEqual([counts(1, 1), counts(3, 1), counts(10, 4), counts(8, 4)], [[1], [1, 1, 1], [4, 4, 2], [4, 4]])
  const [one, other] = ordersFor({ ...REQUEST, n: 2 }, { 'X-Extra': 'a', accept: 'b' }, targetOf({}), aCall())
  assert.equal(one!.wire, other!.wire)
  assert.deepEqual(one!.wire.headers, { accept: 'application/json', 'x-extra': 'a' })
})

test('a ticket is asked about with a credential, after a bounded wait, until it is done', async () => {
  const scene = sceneOf({ steps: [WAIT, { ...WAIT, afterMs: 1e9 }, DONE] })
  const [order] = await scene.fill()
  assert.deepEqual(scene.seen, [
    ['POST', 'https://provider.test/draw', 'Bearer key'],
    ['GET', 'https://provider.test/ticket', 'Bearer key'],
    ['GET', 'https://provider.test/ticket', 'Bearer key'],
  ])
  assert.deepEqual(scene.slept, [100, 30_000])
  assert.deepEqual(order!.made, { data: [], images: [{ url: 'https://cdn.test/a.png' }] })
  assert.deepEqual(order!.wire.headers, { accept: 'application/json' }, 'the shared request carries no credential')
})

test('a poll that fails is repeated; a ticket that failed is begun anew, and costs nothing', async () => {
  const repeated = sceneOf({ steps: [WAIT, DONE], statuses: [200, 503, 200] })
  await repeated.fill()
  assert.deepEqual(
    [repeated.methods(), repeated.paid()],
    [
      ['POST', 'GET', 'GET'],
      [0.5, false],
    ],
  )
  const failing = sceneOf({ steps: [WAIT, new UpstreamProblem('server_error', 'it failed'), DONE] })
  await assert.rejects(failing.fill(), { kind: 'server_error' })
  assert.deepEqual(failing.paid(), [0, false])
  await failing.fill()
  assert.deepEqual(
    [failing.methods(), failing.paid()],
    [
      ['POST', 'GET', 'POST'],
      [0.5, false],
    ],
  )
})

test('images that were made are not ordered again by the next attempt, nor are tickets that are open', async () => {
  const scene = sceneOf({ orders: 3, steps: [DONE, WAIT, WAIT], statuses: [200, 200, 200, ...Array(12).fill(503)] })
  await assert.rejects(scene.fill(), { kind: 'server_error' })
  assert.deepEqual([scene.paid()[0], scene.call.spending.isKnown], [0.5, false])
  scene.steps.push(DONE, DONE)
  await scene.fill()
  assert.deepEqual([scene.methods().filter((method) => method === 'POST').length, scene.paid()], [3, [1.5, false]])
})

test('for a caller who has left nothing is polled any more', async () => {
  const scene = sceneOf({ steps: Array(50).fill(WAIT) })
  scene.services.sleep = async (_ms, signal) => {
    if (scene.seen.length === 2) scene.leave.abort(new Error('gone'))
    signal.throwIfAborted()
  }
  await assert.rejects(scene.fill(), /gone/)
  assert.deepEqual([scene.seen.length, scene.paid()], [2, [0.5, true]])
})

test('of several orders, a caller who leaves pays those that were written', async () => {
  const scene = sceneOf({ orders: 2 })
  let asked = 0
  scene.services.send = async (_, { report, signal }) => {
    report!.isWritten = asked++ === 0
    return await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const filled = scene.fill()
  setImmediate(() => scene.leave.abort(new Error('gone')))
  await assert.rejects(filled, /gone/)
  assert.deepEqual(scene.paid(), [0.5, true])
})

test('an image of a provider that is given up is paid as an estimate', async () => {
  const scene = sceneOf({})
  scene.services.send = async (_, { report }) => {
    report!.isWritten = true
    throw new WireFailure('headers_timeout')
  }
  await assert.rejects(scene.fill(), { kind: 'headers_timeout' })
  assert.deepEqual(scene.paid(), [0.5, true])
})

test('answers are read to their end, with a length and without, and not beyond what was told', async () => {
  const read: number[] = []
  for (const length of ['6', undefined]) await sceneOf({ steps: [DONE], read, length }).fill()
  assert.deepEqual(read, [6, 6])
  await assert.rejects(sceneOf({ steps: [DONE], length: '4' }).fill(), { kind: 'protocol' })
})

test('a provider’s refusal keeps its wait', async () => {
  await assert.rejects(sceneOf({ statuses: [429] }).fill(), { retryAfterSeconds: 7 })
})

type Scene = {
  orders?: number
  steps?: (ImageStep | Error)[]
  statuses?: number[]
  read?: number[]
  length?: string | undefined
}

/** Attempts at one target, and what was sent. Nothing here is long enough for a temp file. */
function sceneOf({ orders: count = 1, steps = [], statuses = [], read, length }: Scene) {
  const leave = new AbortController()
  const call = aCall(leave.signal)
  const { seen, slept, services } = contextOf(statuses, { length })
  const target = targetOf({ steps, read })
  const orders = Array.from({ length: count }, anOrder)
  const slow = new SlowWork<WireRequest>()
  const fill = async () => {
    const span = { spanId: null, traceparent: null }
    const about = {
      target,
      orderedModel: target,
      isLast: true,
      startedAt: 0,
      key: Symbol(),
      orders: [],
      verdict: { isGiven: false },
      span,
    }
    const attempt = { ...about, credential: { secret: 'key', weight: 1, index: 0 }, call, services }
    await fillAll(orders, { input: REQUEST, target, tempFiles: new TempFiles('/nowhere', 'owner') }, attempt, slow)
    return orders
  }
  const paid = () => [call.spending.total.cost, call.spending.total.estimated]
  return { fill, paid, methods: () => seen.map(([method]) => method), seen, slept, steps, leave, call, services }
}

type TargetOptions = { max?: number; steps?: (ImageStep | Error)[]; read?: number[] | undefined }

function targetOf({ max = 1, steps = [], read = [] }: TargetOptions): ImageTarget {
  const codec: ImageCodec = {
    inputs: 'bytes',
    max,
    encode: ({ n }) => ({ wire: { ...aWire(), body: JSON.stringify({ n }) }, notes: [] }),
    decode: ({ bytes }) => {
      read.push(bytes.length)
      const step = steps.shift()!
      if (step instanceof Error) throw step
      return step
    },
    problem: (status) => new UpstreamProblem(status === 429 ? 'rate_limited' : 'server_error', 'no', { status }),
  }
  const provider = { auth: { scheme: 'bearer' }, address: {} } as ImageTarget['provider']
  const { baseUrl, model } = { baseUrl: 'https://provider.test', model: 'm' }
  const entry = { perImage: [{ usd: 0.5 }] } as Partial<Model> as Model
  return { id: 'p/m', provider, entry, timeouts: DEFAULT_TIMEOUTS, codec, baseUrl, model }
}

function contextOf(statuses: number[] = [], { length }: { length?: string | undefined } = {}) {
  const seen: (string | undefined)[][] = []
  const slept: number[] = []
  const send: Send = async ({ method, url, headers }, { report }) => {
    report!.isWritten = true
    seen.push([method, url, headers.authorization])
    const status = statuses.shift() ?? 200
    return { status, headers: { 'content-length': length, 'retry-after': '7' }, body: pieces() }
  }
  const sleep = async (ms: number) => void slept.push(ms)
  return {
    seen,
    slept,
    services: {
      send,
      sleep,
      now: () => 0,
      monotonic: () => 0,
      newId: () => 'id',
      loopSlot: async () => {},
    } as unknown as CallServices,
  }
}

async function* pieces() {
  yield Buffer.from('abc')
  yield Buffer.from('def')
}

function anOrder(): ImageOrder {
  return { wire: aWire(), n: 1, inputs: 0 }
}

function aWire(): WireRequest {
  return { method: 'POST', url: 'https://provider.test/draw', headers: { accept: 'application/json' }, body: '{}' }
}

function aCall(signal = new AbortController().signal) {
  return newCall({ id: 'c', caller: ANY_CALLER, endpoint: 'images', startedAt: 0, signal, wantsMetadata: false })
}
