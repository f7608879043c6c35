import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANY_CALLER } from '../../test/fakes/any-caller.ts'
import { DEFAULT_TIMEOUTS } from '../config/timeouts.ts'
import { UpstreamProblem } from '../wire/upstream-problem.ts'
import type { Send, WireRequest } from '../wire/wire.ts'
import type { ImageCall, ImageCodec, ImageStep } from '../dialects/image-codec.ts'
import { newCall } from '../calls/call.ts'
import type { Model } from '../catalog/catalog.ts'
import { fill, type ImageOrder, ordersFor } from './order.ts'
import { TempFiles } from '../files/temp-files.ts'
import type { ImageTarget } from './target.ts'
import type { AppContext } from '../app/context.ts'

const REQUEST: ImageCall = {
  ...{ mode: 'generate', prompt: 'x', n: 1, size: undefined, quality: undefined, responseFormat: undefined },
  ...{ extra: {}, images: [], mask: undefined },
}
const ATTEMPT = { credential: { secret: 'key', weight: 1, index: 0 }, isLast: true }
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
  const harness = contextOf()
  const order = anOrder()
  await fill(order, of(targetOf({ steps: [WAIT, { ...WAIT, afterMs: 1e9 }, DONE] })), {
    ...ATTEMPT,
    call: aCall(),
    context: harness.context,
  })
  assert.deepEqual(harness.seen, [
    ['POST', 'https://provider.test/draw', 'Bearer key'],
    ['GET', 'https://provider.test/ticket', 'Bearer key'],
    ['GET', 'https://provider.test/ticket', 'Bearer key'],
  ])
  assert.deepEqual(harness.slept, [100, 30_000])
  assert.deepEqual((order as { made?: object }).made, { data: [], images: [{ url: 'https://cdn.test/a.png' }] })
  assert.deepEqual(order.wire.headers, { accept: 'application/json' }, 'the shared request carries no credential')
})

test('a poll that fails is asked again; a ticket that failed is begun anew', async () => {
  const harness = contextOf([200, 503, 200])
  const order = anOrder()
  const target = targetOf({ steps: [WAIT, DONE] })
  await assert.rejects(fill(order, of(target), { ...ATTEMPT, call: aCall(), context: harness.context }), {
    kind: 'server_error',
  })
  await fill(order, of(target), { ...ATTEMPT, call: aCall(), context: harness.context })
  assert.deepEqual(methodsOf(harness), ['POST', 'GET', 'GET'])
  const failed = contextOf()
  const another = anOrder()
  const failing = targetOf({ steps: [WAIT, new UpstreamProblem('server_error', 'it failed'), DONE] })
  await assert.rejects(fill(another, of(failing), { ...ATTEMPT, call: aCall(), context: failed.context }), {
    kind: 'server_error',
  })
  await fill(another, of(failing), { ...ATTEMPT, call: aCall(), context: failed.context })
  assert.deepEqual(methodsOf(failed), ['POST', 'GET', 'POST'])
})

test('who leaves is not polled for any more', async () => {
  const controller = new AbortController()
  const harness = contextOf()
  harness.context.sleep = async (_ms, signal) => {
    if (harness.seen.length === 2) controller.abort(new Error('gone'))
    signal.throwIfAborted()
  }
  const call = aCall(controller.signal)
  const target = targetOf({ steps: Array(50).fill(WAIT) })
  await assert.rejects(fill(anOrder(), of(target), { ...ATTEMPT, call, context: harness.context }), /gone/)
  assert.equal(harness.seen.length, 2)
})

test('of several orders, whoever leaves pays those that were written', async () => {
  const controller = new AbortController()
  const { context } = contextOf()
  let asked = 0
  const send: Send = async (_, { trace, signal }) => {
    trace!.isWritten = asked++ === 0
    return await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const call = aCall(controller.signal)
  const entry = { perImage: [{ usd: 0.5 }] } as Partial<Model> as Model
  const ordered = of({ ...targetOf({}), entry })
  const attempt = { ...ATTEMPT, call, context: { ...context, send } }
  const filled = [anOrder(), anOrder()].map((order) => fill(order, ordered, attempt))
  setImmediate(() => controller.abort(new Error('gone')))
  await Promise.allSettled(filled)
  assert.deepEqual([call.cost, call.estimated], [0.5, true])
})

test('answers are read to their end, with a length and without, and not beyond what was told', async () => {
  const read: number[] = []
  const target = targetOf({ steps: [DONE, DONE], read })
  for (const length of ['6', undefined])
    await fill(anOrder(), of(target), {
      ...ATTEMPT,
      call: aCall(),
      context: contextOf([200], { length }).context,
    })
  assert.deepEqual(read, [6, 6])
  const lying = contextOf([200], { length: '4' })
  await assert.rejects(fill(anOrder(), of(target), { ...ATTEMPT, call: aCall(), context: lying.context }), {
    kind: 'protocol',
  })
})

test('a provider’s refusal keeps its wait', async () => {
  const harness = contextOf([429])
  await assert.rejects(fill(anOrder(), of(targetOf({})), { ...ATTEMPT, call: aCall(), context: harness.context }), {
    retryAfterSeconds: 7,
  })
})

/** Nothing here is long enough for the shelf. */
function of(target: ImageTarget) {
  return { input: REQUEST, target, tempFiles: new TempFiles('/nowhere', 'somebody') }
}

type NewKeyOptions = { max?: number; steps?: (ImageStep | Error)[]; read?: number[] }

function targetOf({ max = 1, steps = [], read = [] }: NewKeyOptions): ImageTarget {
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
  return { id: 'p/m', provider, entry: undefined, timeouts: DEFAULT_TIMEOUTS, codec, baseUrl, model }
}

function contextOf(statuses: number[] = [], { length }: { length?: string | undefined } = {}) {
  const seen: (string | undefined)[][] = []
  const slept: number[] = []
  const send: Send = async ({ method, url, headers }) => {
    seen.push([method, url, headers.authorization])
    const status = statuses.shift() ?? 200
    return { status, headers: { 'content-length': length, 'retry-after': '7' }, body: pieces() }
  }
  const sleep = async (ms: number) => void slept.push(ms)
  return {
    seen,
    slept,
    context: {
      send,
      sleep,
      now: () => 0,
      monotonic: () => 0,
      newId: () => 'id',
      loopSlot: async () => {},
    } as unknown as AppContext,
  }
}

async function* pieces() {
  yield Buffer.from('abc')
  yield Buffer.from('def')
}

function methodsOf({ seen }: ReturnType<typeof contextOf>) {
  return seen.map(([method]) => method)
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
