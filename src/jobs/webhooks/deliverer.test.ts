import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { eventLog } from '../../../test/fakes/event-log.ts'
import { CLAIM, newJob, success } from '../../../test/fakes/new-job.ts'
import { closer, storeForAll } from '../../../test/fakes/stores.ts'
import { plainPost, startReceiver } from '../../../test/fakes/webhook-receiver.ts'
import { freePort } from '../../platform/net/free-port.ts'
import { type Database, StoreUnavailable } from '../../platform/store/database.ts'
import { listDeliveries } from '../../platform/store/deliveries/watched-deliveries.ts'
import { redeliver } from '../../platform/store/deliveries/redeliver.ts'
import { claimJobs, finishJob } from '../../platform/store/jobs/job-runs.ts'
import { submitJob } from '../../platform/store/jobs/jobs.ts'
import { type DelivererOptions, openDeliverer, type Post } from './deliverer.ts'
import { prepareDelivery } from './prepare-delivery.ts'
import { openSigner } from './signature.ts'
import { type Row, TABLE } from './fixtures/receiver-table.ts'

const OUTPUT = { text: 'é漢😀\u2028' }
const QUICK = { pollMs: 10 }
const QUICK_DELAYS_MS = [5, 10, 15]

// A short key is fast. The tests of the published verifiers use the real lengths.
const signer = openSigner(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey)

const holdMemory = async () => () => {}

const db = await storeForAll()

test('each of the 27 ways a receiver can behave has its number of attempts', async (t) => {
  const { db, receiver, log, closing } = await setUp(t)
  const elsewhere: Record<string, string> = {
    refused: `http://127.0.0.1:${await freePort('127.0.0.1', 0)}/refused`,
    tls: `${receiver.url.replace('http:', 'https:')}/tls`,
    dns: 'http://receiver.invalid/dns',
  }
  const urls = TABLE.map(({ title }) => elsewhere[title] ?? `${receiver.url}/${title}`)
  const ids = await putAll(db, urls)
  // The attempt is aborted as soon as the silent receiver has the webhook; a time limit might expire earlier.
  const post: Post = (request, options) => {
    if (!request.url.endsWith('/silent')) return plainPost(request, options)
    const limit = new AbortController()
    receiver.arrivals.once('/silent', () => limit.abort(new DOMException('No answer in time', 'TimeoutError')))
    return plainPost(request, { ...options, signal: AbortSignal.any([options.signal, limit.signal]) })
  }
  openQuickly(closing, { db, log, post })
  await log.until('webhook delivered', 4)
  await log.until('webhook given up', 23)
  const byId = new Map((await listDeliveries(db, { limit: 100 })).items.map((item) => [item.id, item]))
  const found = TABLE.map(({ title }, index): Row => {
    const { attempts, state, lastStatus } = byId.get(ids[index]!)!
    return { title, attempts: attempts as Row['attempts'], state: state as Row['state'], status: lastStatus }
  })
  assert.equal(TABLE.length, 27)
  assert.deepEqual(found, TABLE)
  for (const { title, attempts } of TABLE.filter(({ title }) => !(title in elsewhere)))
    assert.equal(receiver.received.filter(({ path }) => path === `/${title}`).length, attempts, title)
})

test('every attempt sends the same bytes, signature and id, and signs its own time, with the headers of the contract', async (t) => {
  const { db, receiver, log, closing } = await setUp(t)
  const [id] = await putAll(db, [`${receiver.url}/503`])
  let now = 1_700_000_000_900
  openQuickly(closing, { db, log, now: () => (now += 1_000) })
  await log.until('webhook given up')
  const { received } = receiver
  assert.equal(received.length, 4)
  assert.equal(new Set(received.map(({ body }) => body.toString('latin1'))).size, 1)
  assert.deepEqual(
    received.map(({ headers }) => headers['webhook-timestamp']),
    ['1700000001', '1700000002', '1700000003', '1700000004'],
  )
  for (const { headers, body } of received) {
    const { 'webhook-timestamp': timestamp, host, connection, ...rest } = headers
    assert.deepEqual(rest, {
      'content-type': 'application/json',
      'content-length': String(body.byteLength),
      'user-agent': 'Gatehouse/Webhooks',
      'x-service-webhook': 'true',
      'x-service-signature': await signer.sign(body),
      'x-service-hash-algorithm': 'SHA256',
      'x-service-key-id': signer.keyId,
      'x-edenai-webhook': 'true',
      'x-edenai-signature': await signer.sign(body),
      'x-edenai-hash-algorithm': 'SHA256',
      'webhook-id': id,
      'webhook-signature': await signer.signAttempt({ id: id!, timestamp: Number(timestamp), body }),
    })
  }
  assert.equal(new Set(received.map(({ headers }) => headers['webhook-signature'])).size, 4)
  assert.match(received[0]!.headers['x-service-signature'] as string, /^[0-9a-f]{256}$/)
})

test('a receiver that recovers gets its webhook, and can have it once more on demand', async (t) => {
  let answers = 0
  const { db, receiver, log, closing } = await setUp(t, (response) => {
    response.writeHead(++answers <= 2 ? 500 : 200).end()
  })
  const [id] = await putAll(db, [receiver.url])
  const deliverer = openQuickly(closing, { db, log })
  await log.until('webhook delivered')
  assert.equal(receiver.received.length, 3)
  await redeliver(db, id!)
  deliverer.wake()
  await log.until('webhook delivered', 2)
  const [first, ...more] = receiver.received.map(({ body }) => body)
  assert.equal(more.length, 3)
  assert.ok(more.every((body) => body.equals(first!)))
})

test('a silent receiver with many webhooks does not hold up another', async (t) => {
  const { db, receiver, log, closing } = await setUp(t)
  const other = await startReceiver()
  closing.defer(other.stop)
  await putAll(db, Array(40).fill(`${receiver.url}/silent`))
  await putAll(db, Array(20).fill(`${other.url}/200`))
  openQuickly(closing, {
    db,
    log,
    concurrency: 8,
    perReceiver: 4,
    timing: { graceMs: 0 },
  })
  await log.until('webhook delivered', 20)
  assert.equal(other.received.length, 20)
  assert.equal(receiver.received.length, 4)
})

test('closing waits for attempts that end in time', async (t) => {
  const [arrived, answering] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { db, receiver, log, closing } = await setUp(t, async (response) => {
    arrived.resolve()
    await answering.promise
    response.end()
  })
  await putAll(db, [receiver.url])
  const deliverer = openQuickly(closing, { db, log, timing: { graceMs: 60_000 } })
  await arrived.promise
  const closed = deliverer.close()
  answering.resolve()
  await closed
  const [delivery] = (await listDeliveries(db, { limit: 1 })).items
  assert.deepEqual([delivery!.state, delivery!.attempts], ['delivered', 1])
})

test('closing hands back what takes too long, and the next deliverer sends the same bytes', async (t) => {
  const arrived = Promise.withResolvers<void>()
  const { db, receiver, log, closing } = await setUp(t, (response) => {
    arrived.resolve()
    if (receiver.received.length > 1) response.end()
  })
  await putAll(db, [receiver.url])
  const first = openQuickly(closing, { db, log, timing: { graceMs: 0 } })
  await arrived.promise
  await first.close()
  const [delivery] = (await listDeliveries(db, { limit: 1 })).items
  assert.deepEqual([delivery!.state, delivery!.attempts], ['pending', 0])
  openQuickly(closing, { db, log })
  await log.until('webhook delivered')
  const [one, other] = receiver.received.map(({ body }) => body)
  assert.ok(one!.equals(other!))
})

test('the outcome of an attempt outlives a store that is away for a moment', async (t) => {
  const { db, receiver, log, closing } = await setUp(t)
  await putAll(db, [`${receiver.url}/200`])
  let refusals = 3
  const transaction: Database['transaction'] = (statements, options) =>
    refusals-- > 0 ? Promise.reject(new StoreUnavailable('away')) : db.transaction(statements, options)
  openQuickly(closing, { db: { ...db, transaction }, log, timing: { recordPauseMs: 5 } })
  await log.until('webhook delivered')
  assert.equal(receiver.received.length, 1)
})

test('an address that the guard refuses is not tried again, and the reason is not revealed', async (t) => {
  const { db, log, closing } = await setUp(t)
  await putAll(db, ['https://169.254.169.254/secret'])
  const refusal = Object.assign(new Error('169.254.169.254 is private'), { name: 'EgressRefused' })
  openQuickly(closing, { db, log, post: () => Promise.reject(refusal) })
  await log.until('webhook given up')
  const [delivery] = (await listDeliveries(db, { limit: 1 })).items
  assert.deepEqual([delivery!.state, delivery!.attempts], ['failed', 1])
  assert.doesNotMatch(JSON.stringify([delivery!.lastError, log.lines]), /169|secret/)
})

test('receivers of one owner that never answer leave a place for those of another', async (t) => {
  const { db, receiver, log, closing } = await setUp(t)
  const silent = [...Array(10).keys()].map((port) => `http://silent.example:${port + 1}/`)
  await putAll(db, silent, { owner: 'flood' })
  let hanging = 0
  const post: Post = async (request, options) => {
    if (!request.url.includes('silent')) return await plainPost(request, options)
    hanging++
    return await new Promise((_, reject) => options.signal.addEventListener('abort', () => reject(new Error('over'))))
  }
  const deliverer = openQuickly(closing, { db, log, post, concurrency: 3, timing: { graceMs: 0 } })
  for (let others = 1; others <= 3; others++) {
    await putAll(db, [`${receiver.url}/200`], { owner: 'other' })
    deliverer.wake()
    await log.until('webhook delivered', others)
  }
  assert.equal(hanging, 3)
})

test('a large body is read when there is memory for it, and its delivery waits until then', async (t) => {
  const { db, receiver, log, closing } = await setUp(t)
  const free = Promise.withResolvers<void>()
  const asked: { owner: string; bytes: number }[] = []
  let released = 0
  const [large] = await putAll(db, [`${receiver.url}/large`], { output: { text: 'x'.repeat(100_000) } })
  openQuickly(closing, {
    db,
    log,
    holdMemory: async (owner, bytes) => {
      asked.push({ owner, bytes })
      await free.promise
      return () => released++
    },
  })
  await putAll(db, [`${receiver.url}/small`])
  await log.until('webhook delivered', 1)
  assert.deepEqual(
    receiver.received.map(({ path }) => path),
    ['/small'],
  )
  free.resolve()
  await log.until('webhook delivered', 2)
  const [{ owner, bytes }] = asked as [(typeof asked)[0]]
  assert.equal(owner, 'owner')
  assert.ok(bytes > 3 * 100_000, `${bytes} bytes`)
  assert.deepEqual([asked.length, released], [1, 1])
  const sent = receiver.received.find(({ path }) => path === '/large')!
  assert.equal(JSON.parse(sent.body.toString()).output.text.length, 100_000)
  assert.equal(sent.headers['webhook-id'], large)
})

test('a large body that gets no memory in time goes back into the queue, without a lost attempt', async (t) => {
  const { db, receiver, log, closing } = await setUp(t)
  await putAll(db, [`${receiver.url}/large`], { output: { text: 'x'.repeat(100_000) } })
  let refusals = 0
  const holdMemory = async () => {
    if (refusals++ < 2) throw new Error('no memory')
    return () => {}
  }
  openQuickly(closing, { db, log, holdMemory })
  await log.until('webhook delivered', 1)
  const { items } = await listDeliveries(db, { limit: 1 })
  assert.deepEqual([refusals, items[0]!.attempts], [3, 1])
})

async function setUp(t: TestContext, answer?: Parameters<typeof startReceiver>[0]) {
  const closing = closer(t)
  const receiver = await startReceiver(answer)
  closing.defer(receiver.stop)
  return { db, receiver, log: eventLog(), closing }
}

function openQuickly(
  closing: AsyncDisposableStack,
  options: Pick<DelivererOptions, 'db' | 'log'> & Partial<DelivererOptions>,
) {
  const timing = { ...QUICK, ...options.timing }
  const deliverer = openDeliverer({
    post: plainPost,
    signer,
    holdMemory,
    delaysMs: QUICK_DELAYS_MS,
    ...options,
    timing,
  })
  closing.defer(deliverer.close)
  return deliverer
}

/** Ends one job for each address, with a webhook to it, and returns the ids of the deliveries. */
async function putAll(db: Database, urls: string[], { owner = 'owner', output = OUTPUT } = {}): Promise<string[]> {
  await Promise.all(urls.map(() => submitJob(db, newJob({ owner }))))
  const jobs = await claimJobs(db, { ...CLAIM, limit: urls.length })
  return Promise.all(
    jobs.map(async (job, index) => {
      const run = success(job)
      const result = { status: 'success', output } as const
      const finished = { ...job, finishedAt: run.finishedAt, userParameters: null, result }
      const announced = { job: finished, url: urls[index]! }
      const delivery = await prepareDelivery(announced, { signer, newId: randomUUID })
      assert.equal(await finishJob(db, run, delivery), true)
      return delivery.id
    }),
  )
}
