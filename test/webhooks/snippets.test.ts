import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { openWorker } from '../../src/jobs/worker.ts'
import { submitJob } from '../../src/store/jobs.ts'
import { openDeliverer } from '../../src/webhooks/deliverer.ts'
import { prepareDelivery } from '../../src/webhooks/prepare-delivery.ts'
import { openSigner } from '../../src/webhooks/signature.ts'
import { publicPem } from '../../src/webhooks/signing-key.ts'
import { eventLog } from '../fakes/event-log.ts'
import { newJob } from '../fakes/new-job.ts'
import { sharedPrivateKey } from '../fakes/signing-key.ts'
import { newStore } from '../fakes/stores.ts'
import { plainPost, startReceiver } from '../fakes/webhook-receiver.ts'
import { accepts, type Case, runSnippet, snippetPath, whyNoPython, whyNot } from './run-snippet.ts'

// The verifiers that are printed in the documentation, run as they stand there against webhooks that were really sent.

const OUTPUTS = [
  {},
  { score: 0.9973, items: [], nested: { '10': 1, '9': [null, true, 'a'] } },
  { text: 'é漢😀\u2028\u2029\u007f<>&"\\\b\f\n' },
  { ids: [9_007_199_254_740_991, -1, 0.0001, 123.456], empty: ['', {}, [[]]] },
]

/** Right only for who verifies the raw body: languages write these differently. */
const AWKWARD = { tiny: 2.49e-6, tinier: 1.49e-7, '😀': 1, ﬁ: 2 }

const privateKey = sharedPrivateKey()
const key = publicPem(privateKey)
const webhooks = await deliver([...OUTPUTS, AWKWARD])
const safe = webhooks.filter(({ body }) => !Buffer.from(body, 'base64').includes('tinier'))
const tampered = webhooks.flatMap(tamper)

test('webhooks arrived', () => assert.deepEqual([webhooks.length, safe.length, tampered.length], [5, 4, 20]))

describe('the verifier for Node', () => {
  test('accepts every webhook by its raw body, and none that was changed', () => acceptsJustGood('node.mjs'))
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
  test('accepts webhooks that were parsed', async () => {
    assert.deepEqual(await runSnippet('python.py', { verifyParsed: safe }), Array(4).fill(true))
    const [awkward] = webhooks.filter((webhook) => !safe.includes(webhook))
    assert.deepEqual(await runSnippet('python.py', { verifyParsed: [awkward!] }), [false])
  })
})

describe('the verifier for Go', { skip: whyNot('go', 'version') }, () => {
  test('accepts a webhook by its raw body, and none that was changed', () =>
    acceptsFiles(async (folder) => {
      const program = join(folder, 'verify')
      await promisify(execFile)('go', ['build', '-o', program, snippetPath('go/main.go')])
      return [program]
    }))
})

describe('the verifier for openssl', { skip: whyNot('openssl', 'version') }, () => {
  test('accepts a webhook by its raw body, and none that was changed', () =>
    acceptsFiles(async () => ['bash', snippetPath('openssl.sh')]))
})

async function acceptsJustGood(name: 'node.mjs' | 'python.py', ...flags: string[]) {
  const answers = await runSnippet(name, { verify: [...webhooks, ...tampered] }, ...flags)
  assert.deepEqual(answers, [...webhooks.map(() => true), ...tampered.map(() => false)])
}

/** One of each: every call starts a program. */
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

function bad(webhook: Case) {
  return { ...webhook, good: false }
}

/** A bit of the body, a space at its end, a digit of the signature, the signature of another. */
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
async function deliver(outputs: object[]): Promise<Case[]> {
  await using closing = new AsyncDisposableStack()
  const [db, receiver, log] = [await newStore(closing), await startReceiver(), eventLog()]
  closing.defer(receiver.stop)
  const deliverer = openDeliverer({ db, post: plainPost, log })
  closing.defer(deliverer.close)
  const signer = openSigner(privateKey)
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
  const webhook = { url: receiver.url, userParameters: { name: 'Zoë', list: [] } }
  for (const output of outputs) await submitJob(db, newJob({ request: output, webhook }))
  worker.wake()
  await log.until('webhook delivered', outputs.length)
  return receiver.received.map(({ body, headers }) => {
    return { body: body.toString('base64'), signature: String(headers['x-service-signature']), key }
  })
}
