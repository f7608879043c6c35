import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createPublicKey, randomUUID, verify } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { openWorker } from '../../src/jobs/worker.ts'
import { submitJob } from '../../src/store/jobs.ts'
import { openDeliverer } from '../../src/webhooks/deliverer.ts'
import { prepareDelivery } from '../../src/webhooks/prepare-delivery.ts'
import { openSigner } from '../../src/webhooks/signature.ts'
import { timestampPublicKey } from '../../src/webhooks/timestamp-key.ts'
import { eventLog } from '../fakes/event-log.ts'
import { newJob } from '../fakes/new-job.ts'
import { sharedPrivateKey } from '../fakes/signing-key.ts'
import { newStore } from '../fakes/stores.ts'
import { plainPost, startReceiver } from '../fakes/webhook-receiver.ts'
import { accepts, type Case, runSnippet, snippetPath, type TimedCase, whyNoPython, whyNot } from './run-snippet.ts'

// Runs the verifiers that the documentation prints, unchanged, on webhooks that were really sent.

const OUTPUTS = [
  {},
  { score: 0.9973, items: [], nested: { '10': 1, '9': [null, true, 'a'] } },
  { text: 'é漢😀\u2028\u2029\u007f<>&"\\\b\f\n' },
  { ids: [9_007_199_254_740_991, -1, 0.0001, 123.456], empty: ['', {}, [[]]] },
]

/** Only a receiver that verifies the raw body accepts these, because languages write them differently. */
const AWKWARD = { tiny: 2.49e-6, tinier: 1.49e-7, '😀': 1, ﬁ: 2 }

const privateKey = sharedPrivateKey()
const key = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString()
const webhooks = await deliver([...OUTPUTS, AWKWARD])
const safe = webhooks.filter(({ body }) => !Buffer.from(body, 'base64').includes('tinier'))
const tampered = webhooks.flatMap(tamper)
const { standard, pem } = timestampPublicKey(privateKey)
const timed = webhooks.map(({ body, headers }): TimedCase => {
  return { body, headers, key: standard, now: Number(headers['webhook-timestamp']) }
})
const forged = timed.flatMap(forge)

test('webhooks arrived', () => assert.deepEqual([webhooks.length, safe.length, tampered.length], [5, 4, 20]))

test('the signed time is what an independent reader of Standard Webhooks accepts', () => {
  assert.match(standard, /^whpk_[A-Za-z0-9+/]{43}=$/)
  const spki = createPublicKey(pem).export({ type: 'spki', format: 'der' })
  assert.equal(spki.subarray(-32).toString('base64'), standard.slice('whpk_'.length))
  assert.equal(new Set(timed.map(({ headers }) => headers['webhook-id'])).size, timed.length)
  for (const { body, headers } of timed) {
    const [, base64] = /^v1a,([A-Za-z0-9+/]{86}==)$/.exec(headers['webhook-signature']!)!
    const start = `${headers['webhook-id']}.${headers['webhook-timestamp']}.`
    const content = Buffer.concat([Buffer.from(start), Buffer.from(body, 'base64')])
    assert.ok(verify(null, content, pem, Buffer.from(base64!, 'base64')))
  }
})

describe('the verifier for Node', () => {
  test('accepts every webhook by its raw body, and none that was changed', () => acceptsJustGood('node.mjs'))
  test('accepts every signed time that is not too old, and none that was changed', () => acceptsJustFresh('node.mjs'))
  test('accepts webhooks that were parsed', async () => {
    assert.deepEqual(await runSnippet('node.mjs', { verifyParsed: safe }), Array(4).fill(true))
  })
})

describe('the verifier for Python', { skip: whyNoPython() }, () => {
  const why = whyNot('python3', '-c', 'import cryptography')
  test('accepts every webhook by its raw body, and none that was changed', { skip: why }, () =>
    acceptsJustGood('python.py'),
  )
  test('does so without the package, through openssl', () => acceptsJustGood('python.py', '--without-cryptography'))
  test('accepts every signed time that is not too old, and none that was changed', { skip: why }, () =>
    acceptsJustFresh('python.py'),
  )
  test('does so without the package, through openssl 3', { skip: whyNoOpenssl3() }, () =>
    acceptsJustFresh('python.py', '--without-cryptography'),
  )
  test('accepts webhooks that were parsed', async () => {
    assert.deepEqual(await runSnippet('python.py', { verifyParsed: safe }), Array(4).fill(true))
    const [awkward] = webhooks.filter((webhook) => !safe.includes(webhook))
    assert.deepEqual(await runSnippet('python.py', { verifyParsed: [awkward!] }), [false])
  })
})

describe('the verifier for Go', { skip: whyNot('go', 'version') }, () => {
  let folder = ''
  /** Compiled once: the first time on a machine takes long. */
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-snippet-'))
    await promisify(execFile)('go', ['build', '-o', join(folder, 'verify'), snippetPath('go/main.go')])
  })
  after(() => rm(folder, { recursive: true }))
  test('accepts a webhook by its raw body, and none that was changed', () =>
    acceptsFiles(async () => [join(folder, 'verify')]))
  test('accepts a signed time that is not too old, and none that was changed', () =>
    acceptsTimedFiles(async () => [join(folder, 'verify'), standard]))
})

describe('the verifier for openssl', { skip: whyNot('openssl', 'version') }, () => {
  test('accepts a webhook by its raw body, and none that was changed', () =>
    acceptsFiles(async () => ['bash', snippetPath('openssl.sh')]))
  test('accepts a signed time that is not too old, and none that was changed', { skip: whyNoOpenssl3() }, () =>
    acceptsTimedFiles(async (folder) => {
      const keyFile = join(folder, 'ed25519.pem')
      await writeFile(keyFile, pem)
      return ['bash', snippetPath('openssl-timestamp.sh'), keyFile]
    }),
  )
})

async function acceptsJustFresh(name: 'node.mjs' | 'python.py', ...flags: string[]) {
  const answers = await runSnippet(name, { verifyTimestamped: [...timed, ...forged] }, ...flags)
  assert.deepEqual(answers, [...timed.map(() => true), ...forged.map(() => false)])
}

/** These programs use their machine's clock, so a timestamp is too old only if it was signed long ago. */
async function acceptsTimedFiles(prepare: (folder: string) => Promise<string[]>) {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-snippet-'))
  after(() => rm(folder, { recursive: true }))
  const [program, ...flags] = await prepare(folder)
  const bodyFile = join(folder, 'body')
  const old = await signedAt(timed[4]!, timed[4]!.now - 301)
  const wrong = forged.slice(-FORGERIES).filter(({ now }) => now === timed[4]!.now)
  for (const { body, headers, good } of [{ ...timed[4]!, good: true }, ...[...wrong, old].map(bad)]) {
    await writeFile(bodyFile, Buffer.from(body, 'base64'))
    const words = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => headers[name]!)
    assert.equal(await accepts([program!, ...flags], [bodyFile, ...words]), good, words.join(' '))
  }
}

const FORGERIES = 8

/** Changes the time, id, body, kind of signature or signature, and sets the clock too late or too early. */
function forge(one: TimedCase, index: number): TimedCase[] {
  const { headers, now } = one
  const longer = Buffer.concat([Buffer.from(one.body, 'base64'), Buffer.from('\n')]).toString('base64')
  const other = timed[(index + 1) % timed.length]!.headers['webhook-signature']!
  const signature = headers['webhook-signature']!
  return [
    { ...one, now: now + 301 },
    { ...one, now: now - 301 },
    { ...one, body: longer },
    { ...one, headers: { ...headers, 'webhook-timestamp': String(now + 1) } },
    { ...one, headers: { ...headers, 'webhook-id': `${headers['webhook-id']}1` } },
    { ...one, headers: { ...headers, 'webhook-signature': signature.replace('v1a,', 'v1,') } },
    { ...one, headers: { ...headers, 'webhook-signature': `v1a,!!! ${other} v1a,` } },
    { ...one, headers: { ...headers, 'webhook-signature': 'v1a,' } },
  ]
}

/** The same webhook as if it had been sent at another time. */
async function signedAt({ body, headers, key }: TimedCase, timestamp: number): Promise<TimedCase> {
  const id = headers['webhook-id']!
  const signature = await openSigner(privateKey).signAttempt({ id, timestamp, body: Buffer.from(body, 'base64') })
  const signed = { ...headers, 'webhook-timestamp': String(timestamp), 'webhook-signature': signature }
  return { body, headers: signed, key, now: timestamp }
}

function whyNoOpenssl3(): string | false {
  return whyNot('sh', '-c', 'openssl version | grep -q "^OpenSSL [3-9]"')
}

async function acceptsJustGood(name: 'node.mjs' | 'python.py', ...flags: string[]) {
  const answers = await runSnippet(name, { verify: [...webhooks, ...tampered] }, ...flags)
  assert.deepEqual(answers, [...webhooks.map(() => true), ...tampered.map(() => false)])
}

/** One case of each kind, because every call starts a program. */
async function acceptsFiles(prepare: (folder: string) => Promise<string[]>) {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-snippet-'))
  after(() => rm(folder, { recursive: true }))
  const command = await prepare(folder)
  const [keyFile, bodyFile] = [join(folder, 'key.pem'), join(folder, 'body')]
  await writeFile(keyFile, key)
  for (const { body, signature, good } of [{ ...webhooks[4]!, good: true }, ...tampered.slice(-4).map(bad)]) {
    await writeFile(bodyFile, Buffer.from(body, 'base64'))
    assert.equal(await accepts(command, [keyFile, bodyFile, signature]), good)
  }
}

function bad<Webhook extends Case | TimedCase>(webhook: Webhook) {
  return { ...webhook, good: false }
}

/** Changes a bit of the body, adds a space at its end, changes a digit of the signature, or uses another signature. */
function tamper({ body, signature }: Case, index: number): Case[] {
  const flipped = Buffer.from(body, 'base64')
  flipped[index * 7]! ^= 1
  const longer = Buffer.concat([Buffer.from(body, 'base64'), Buffer.from('\n')])
  const other = webhooks[(index + 1) % webhooks.length]!.signature
  return [
    { body: flipped.toString('base64'), signature, key },
    { body: longer.toString('base64'), signature, key },
    { body, signature: signature.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')), key },
    { body, signature: other, key },
  ]
}

/** Runs one job for each output, from its submission to its webhook. */
async function deliver(outputs: object[]): Promise<(Case & { headers: Record<string, string> })[]> {
  await using closing = new AsyncDisposableStack()
  const [db, receiver, log] = [await newStore(closing), await startReceiver(), eventLog()]
  closing.defer(receiver.stop)
  const signer = openSigner(privateKey)
  const deliverer = openDeliverer({ db, post: plainPost, signer, log, holdMemory: async () => () => {} })
  closing.defer(deliverer.close)
  const execute = async ({ request }: { request: unknown }) =>
    ({ status: 'success', output: request, cost: null, provider: 'sandbox', model: null }) as const
  const worker = openWorker({
    db,
    log,
    execute,
    prepareDelivery: (announced) => prepareDelivery(announced, { signer, newId: randomUUID }),
    wakeDeliverer: deliverer.wake,
    deadlineMs: 60_000,
    concurrency: 4,
    workerId: 'snippets',
  })
  closing.defer(worker.close)
  const userParameters = '{"name":"Zoë","list":[]}'
  for (const output of outputs)
    await submitJob(db, newJob({ request: output, webhook: { url: receiver.url }, userParameters }))
  worker.wake()
  await log.until('webhook delivered', outputs.length)
  return receiver.received.map(({ body, headers }) => {
    const signature = String(headers['x-service-signature'])
    return { body: body.toString('base64'), signature, key, headers: headers as Record<string, string> }
  })
}
