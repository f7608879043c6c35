import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { ANY_CALLER } from '../../fakes/any-caller.ts'
import * as sample from '../../../src/base/sniff/fixtures/small-files.ts'
import { taskPrice } from '../../../src/platform/catalog/task-prices.ts'
import { issues } from '../../../src/base/schema/validation-issues.ts'
import type { JsonSchema } from '../../../src/base/schema/json-schema.ts'
import { secretForms } from '../../../src/base/redaction/secret-forms.ts'
import { newCall } from '../../../src/calls/call.ts'
import { taskTargets } from '../../../src/endpoints/universal/task-targets.ts'
import { toolsFor } from '../../../src/calls/upstream/task-tools.ts'
import { type RequestView, requestView } from '../../../src/translation/tasks/http/fixtures/adapter-requests.ts'
import { exampleTask } from '../../../src/translation/tasks/http/fixtures/example-task.ts'
import {
  BASE_URL,
  performed,
  recordingOf,
  type Recording,
} from '../../../src/translation/tasks/http/fixtures/recording.ts'
import { newSendReport } from '../../../src/translation/wire/wire.ts'
import { fileFieldsIn } from '../../../src/translation/tasks/file-fields.ts'
import type { Behaviour } from '../../fakes/behaviours.ts'
import { type FakeProvider, type SeenRequest, startFakeProvider } from '../../fakes/provider.ts'
import { TASK_PROVIDERS, type TaskProvider, environmentFor, secretsOf } from '../../gateway/all-providers.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { type TaskClient, taskClient } from '../../gateway/task-client.ts'
import { DAY_MS } from '../../../src/base/units/units.ts'

const SEVEN_DAYS_MS = 7 * DAY_MS
const LINK = /^http:\/\/127\.0\.0\.1:\d+\/results\/[\w-]+\?expires=(\d+)&signature=[0-9a-f]{64}$/
/** Authentication headers are not recorded: they depend on the provider's row, and some are different each time. */
const PROOFS = ['authorization']

describe('every adapter, with the real tools and a real server', () => {
  let provider: FakeProvider
  let gateway: GatewayUnderTest
  let client: TaskClient
  let files: Record<string, string>
  before(async () => {
    provider = await startFakeProvider({ everyPath: true })
    gateway = await startGateway({ env: environmentFor(provider.url) })
    client = taskClient(gateway.url)
    const [image, audio, video, letter] = await Promise.all([
      client.store(sample.png(4, 4), 'a.png'),
      client.store(sample.mp3(), 'a.mp3'),
      client.store(sample.ftyp('isom', 'mp42'), 'a.mp4'),
      client.store(sample.office('word'), 'a.docx'),
    ])
    files = { image: image.file_id, ocr: image.file_id, audio: audio.file_id, video: video.file_id }
    files.translation = letter.file_id
  })
  after(async () => {
    await gateway?.close()
    await provider?.close()
  })
  beforeEach(() => provider.reset())

  // The rules for each adapter are tested without sockets, in src/translation/tasks/adapter-conformance.test.ts.
  for (const adapter of oneOfEach(TASK_PROVIDERS, servicesOf)) {
    test(`${adapter.address}: sends the recorded request, and turns the recorded answer into an output`, async () => {
      for (const answer of answersOf(adapter, provider.url)) provider.next(replay(answer))
      const { output } = await performed(await adapter.load(), exampleTask(adapter.feature), toolsOf(adapter))
      assert.deepEqual(issues(adapter.feature.output as JsonSchema, output, []), [])
      const requests = ((recordingOf(adapter.address).requests ?? []) as RequestView[]).map(withoutProof)
      assert.equal(provider.requests.length, requests.length)
      const seen = provider.requests.map((request, index) => asRecorded(request, requests[index]!))
      assert.deepEqual(deletionsLast(seen), deletionsLast(requests))
      assert.equal(linksIn(output).length > 0, JSON.stringify(adapter.feature.output).includes('_resource_url"'))
      await keptHere(output)
    })
  }

  for (const adapter of oneOfEach(TASK_PROVIDERS)) {
    test(`${adapter.address}: a provider that shouts our secret is not quoted`, async () => {
      provider.always(shouting(adapter.provider))
      const body = { model: adapter.address, input: inputOf(adapter) }
      const text = await (adapter.feature.mode === 'sync' ? failedNow(body) : failedLater(body))
      for (const form of formsOf(adapter.provider)) assert.ok(!text.includes(form), `${form} in ${text}`)
    })
  }

  for (const adapter of oneOfEach(TASK_PROVIDERS.filter(isQuick))) {
    test(`${adapter.address}: the answer says what it cost`, async () => {
      for (const answer of answersOf(adapter, provider.url)) provider.next(replay(answer))
      const { status, body, text } = await client.run({ model: adapter.address, input: adapter.feature.example.input })
      assert.equal(status, 200, text)
      const [feature, subfeature, name] = adapter.address.split('/')
      const price = taskPrice(`${feature}/${subfeature}`, name!, null)
      assert.equal(body.cost === null, price === null)
      assert.equal((body.cost ?? 0) > 0, (price?.price ?? 0) > 0, text)
    })
  }

  /** Answers with status 200 in which a parser found nothing. */
  const BLANK: [address: string, answer: unknown][] = [
    ['ocr/resume_parser/affinda', { data: { rawText: 'x' }, meta: { identifier: 'a', ready: true } }],
    ['ocr/resume_parser/klippa', { data: { parsed: { applicant: null } } }],
    ['ocr/financial_parser/affinda', { data: { tables: [] }, meta: { identifier: 'a', ready: true } }],
    ['ocr/financial_parser/amazon', { ExpenseDocuments: [{ SummaryFields: [] }] }],
    ['ocr/financial_parser/google', { document: { pages: [{}] } }],
    ['ocr/financial_parser/klippa', { data: { amount: 0, document_type: 'receipt', document_language: 'en' } }],
    ['ocr/financial_parser/veryfi', { total: null, line_items: [] }],
    ['ocr/financial_parser/base64', []],
    ['ocr/identity_parser/amazon', { IdentityDocuments: [] }],
    ['ocr/identity_parser/base64', [{ model: {}, fields: { documentType: { value: 'Passport', confidence: 0.5 } } }]],
  ]
  for (const [address, answer] of BLANK) {
    test(`${address}: a document in which nothing was found is paid, reported and left to a fallback`, async () => {
      provider.always(replay({ status: 200, headers: { 'content-type': 'application/json' }, json: answer }))
      const request = { model: address, input: { file: files.ocr } }
      const { status, body, text } = await client.run(request)
      assert.deepEqual([status, body.status, body.error.code], [422, 'fail', 'nothing_found'], text)
      const [feature, subfeature, name] = address.split('/')
      const known = (taskPrice(`${feature}/${subfeature}`, name!, null)?.price ?? 0) > 0
      assert.equal((body.cost ?? 0) > 0, known, text)
      const other = await client.run({ ...request, fallbacks: ['sandbox'] })
      assert.deepEqual([other.status, other.body.provider], [200, 'sandbox'], other.text)
      // The answer says what it cost itself; the ledger has what was paid on the way, too.
      assert.equal(other.body.cost, 0)
      assert.equal(await latestCost(), body.cost ?? 0)
    })
  }

  test('after all that, no secret stands in a log line, in any writing', () => {
    const logs = gateway.logs()
    assert.ok(logs.split('\n').length > 60)
    const forms = new Set(TASK_PROVIDERS.flatMap(({ provider: name }) => formsOf(name)))
    for (const form of forms) assert.ok(!logs.includes(form), form)
  })

  async function latestCost(): Promise<number> {
    const { db, ledger } = gateway.gateway.services.calls
    await ledger.flush()
    const sql = 'SELECT cost_nanos / 1e9 AS cost FROM usage ORDER BY rowid DESC LIMIT 1'
    const [line] = await db.query<{ cost: number }>(sql)
    return line!.cost
  }

  async function failedNow(body: object): Promise<string> {
    const { status, text } = await client.run(body)
    assert.ok(status >= 400, text)
    return text
  }

  async function failedLater(body: object): Promise<string> {
    const { body: job } = await client.submit(body)
    const end = await client.ended(job.public_id)
    assert.equal(end.status, 'fail')
    return JSON.stringify(end)
  }

  function toolsOf({ address }: TaskProvider) {
    const { calls } = gateway.gateway.services
    const caller = { ...ANY_CALLER, owner: 'default' }
    const [target] = taskTargets({ model: address }, caller, calls)
    const credential = target!.provider.serviceCredential ?? target!.provider.credentials[0]!
    const { signal } = new AbortController()
    const facts = { id: 'req_1', caller, endpoint: 'universal', startedAt: 0, signal, wantsMetadata: false }
    return toolsFor(target!, { credential, report: newSendReport(), call: newCall(facts), services: calls })
  }

  /** Files that a task produced are links to our own copies, valid for seven days. */
  async function keptHere(output: unknown): Promise<void> {
    for (const link of linksIn(output)) {
      const [, expires] = LINK.exec(link) ?? assert.fail(`${link} is not a link of ours`)
      assert.ok(Math.abs(Number(expires) - Date.now() - SEVEN_DAYS_MS) < 60_000)
      const response = await fetch(link)
      assert.ok(response.status === 200 && (await response.arrayBuffer()).byteLength > 0)
    }
  }

  function inputOf({ feature }: TaskProvider): object {
    const value = Object.keys(feature.example.input as object)
    const fields = fileFieldsIn(feature.input).filter((field) => value.includes(field))
    return {
      ...(feature.example.input as object),
      ...Object.fromEntries(fields.map((field) => [field, files[feature.feature]])),
    }
  }

  /** The request as in the recording: without what HTTP itself adds, and relative to the provider's address here. */
  function asRecorded({ method, path, headers, text }: SeenRequest, { headers: known }: RequestView): RequestView {
    const sent = Object.keys(known).map((name) => [name, String(headers[name])])
    const url = provider.url.replace(/\/v1$/, path)
    return requestView(
      { method: method as 'GET', url, headers: Object.fromEntries(sent), body: text === '' ? null : text },
      provider.url,
    )
  }
})

/** The recorded answers, with the test server's address in the place of the provider's. */
function answersOf({ address }: TaskProvider, url: string): Recording[] {
  const text = JSON.stringify(recordingOf(address)).replaceAll(BASE_URL, url)
  const recording: Recording | { answers: Recording[] } = JSON.parse(text)
  return 'answers' in recording ? recording.answers : [recording]
}

function replay({ status, headers, json, base64 }: Recording): Behaviour {
  const body = base64 === undefined ? (typeof json === 'string' ? json : JSON.stringify(json ?? '')) : undefined
  return (_, response) => void response.writeHead(status, headers).end(body ?? Buffer.from(base64!, 'base64'))
}

/** The gateway treats all tasks of a provider that run in the same way alike, so one of each is enough. */
function oneOfEach(all: readonly TaskProvider[], more: (adapter: TaskProvider) => string = () => ''): TaskProvider[] {
  const ways = Object.groupBy(all, (adapter) => `${adapter.provider} ${adapter.feature.mode} ${more(adapter)}`)
  return Object.values(ways).map((same) => same![0]!)
}

/** Each of a provider's services has its own address and authentication; the placeholder in the recording names it. */
function servicesOf({ address }: TaskProvider): string {
  const requests = (recordingOf(address).requests ?? []) as RequestView[]
  return [...new Set(requests.map(({ headers }) => headers.authorization))].join()
}

/** Whether the task is answered at once, and without files. */
function isQuick({ feature }: TaskProvider): boolean {
  return feature.mode === 'sync' && fileFieldsIn(feature.input).length === 0
}

function formsOf(provider: string): string[] {
  return [...new Set(secretsOf(provider).flatMap(secretForms))]
}

/** Our secrets in all encodings, and the authentication as it arrived, in every place where an error has text. */
function shouting(provider: string): Behaviour {
  const [secret = ''] = secretsOf(provider)
  return ({ headers, path }, response) => {
    const words = `${formsOf(provider).join(' ')} ${headers.authorization} ${path}`
    const error = { message: words, code: secret, msg: words, type: words }
    response.writeHead(400, { 'content-type': 'application/json', 'x-amzn-errortype': secret })
    response.end(JSON.stringify({ error, message: words, detail: words, errors: [words] }))
  }
}

function withoutProof({ headers, ...rest }: RequestView): RequestView {
  return { headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !PROOFS.includes(name))), ...rest }
}

/** Files at a provider are deleted side by side, so these requests arrive in any order. */
function deletionsLast(requests: readonly RequestView[]): RequestView[] {
  const deletions = requests.filter(({ method }) => method === 'DELETE')
  const others = requests.filter(({ method }) => method !== 'DELETE')
  return [...others, ...deletions.sort((one, other) => (one.path < other.path ? -1 : 1))]
}

function linksIn(value: unknown, name = ''): string[] {
  if (typeof value === 'string') return name.endsWith('_resource_url') ? [value] : []
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => linksIn(inner, key))
    : []
}
