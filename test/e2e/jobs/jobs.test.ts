import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { withRawNumbers } from '../../fakes/raw-numbers.ts'
import { nextMillisecond } from '../../fakes/stores.ts'
import type { UniversalJob, UniversalJobList } from '../../../src/contract/universal.ts'
import { validator } from '../../../src/base/schema/validator.ts'
import type { Feature } from '../../../src/translation/tasks/feature.ts'
import { FEATURES } from '../../../src/translation/tasks/index.ts'
import { answer, type Behaviour, failure } from '../../fakes/behaviours.ts'
import { type AdminClient, adminClient } from '../../gateway/admin-client.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { type GatewayWithFakes, startGatewayWithFakes } from '../../gateway/gateway-with-fakes.ts'
import { type TaskClient, taskClient } from '../../gateway/task-client.ts'

const JOB = { model: 'text/moderation/sandbox', input: { text: 'Hello' } }
const SENTIMENT = { model: 'text/sentiment_analysis/openai/gpt-4o-mini', input: { text: 'Lovely.' } }
const GOOD = JSON.stringify({ general_sentiment: 'Positive', general_sentiment_rate: 1, items: [] })
const PATH = '/v3/universal-ai/async'
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

describe('jobs', () => {
  let gateway: GatewayWithFakes
  let client: TaskClient
  let stranger: TaskClient
  let admin: AdminClient
  before(async () => {
    gateway = await startGatewayWithFakes({ jobGraceMs: 0 })
    client = taskClient(gateway.gateway.url)
    admin = adminClient(gateway.gateway.adminUrl)
    stranger = taskClient(gateway.gateway.url, (await admin.issue()).key)
  })
  after(() => gateway?.close())
  beforeEach(() => gateway.reset())

  test('a job is accepted at once and has its result later', async () => {
    const { status, body, headers } = await client.submit(JOB)
    assert.equal(status, 202)
    const { public_id, job_id, created_at, ...rest } = body as UniversalJob
    assert.match(public_id, /^[0-9a-f-]{36}$/)
    assert.equal(job_id, public_id)
    assert.match(created_at, ISO)
    assert.match(headers.get('x-request-id')!, /^req_/)
    const names = { provider: 'sandbox', feature: 'text', subfeature: 'moderation', model: null }
    assert.deepEqual(rest, { status: 'processing', cost: 0, ...names, output: null, error: null })
    const { output, ...ended } = await client.ended(public_id)
    assert.deepEqual(ended, { public_id, job_id, created_at, status: 'success', cost: 0, ...names, error: null })
    assert.deepEqual(output, (await client.run(JOB)).body.output)
  })

  for (const feature of FEATURES.filter(({ mode }) => mode === 'async')) {
    test(`${feature.feature}/${feature.subfeature} answers its example as a job`, async () => {
      const { file_id } = await client.store('x')
      const model = `${feature.feature}/${feature.subfeature}/sandbox`
      const { status, body, text } = await client.submit({ model, input: inputOf(feature, file_id) })
      assert.equal(status, 202, text)
      const job = await client.ended(body.public_id)
      assert.equal(job.status, 'success', job.error?.message)
      assert.deepEqual(validator(feature.output).issues(job.output, []), [])
    })
  }

  test('the provider’s own answer stays with the job when asked for', async () => {
    gateway.openai.always(answer({ content: GOOD }))
    const { body } = await client.submit({ ...SENTIMENT, show_original_response: true })
    assert.ok(!('original_response' in body))
    const job = await client.ended(body.public_id)
    assert.equal((job.original_response as { id: string }).id, 'chatcmpl-fake')
    assert.deepEqual([job.model, job.cost], ['gpt-4o-mini', 0.00000855])
  })

  test('a provider that fails makes a job that failed, and costs nothing', async () => {
    gateway.openai.always(failure(500, { message: 'out of paper' }))
    const { body } = await client.submit({ ...SENTIMENT, show_original_response: true })
    const job = await client.ended(body.public_id)
    const { status, cost, output, error, original_response } = job
    assert.deepEqual([status, cost, output, original_response], ['fail', 0, null, null])
    assert.deepEqual(error, { message: 'text/sentiment_analysis/openai/gpt-4o-mini: out of paper' })
  })

  test('a fallback’s name stands in the job that it did', async () => {
    gateway.openai.always(failure(500))
    const { body } = await client.submit({ ...SENTIMENT, fallbacks: ['sandbox'] })
    assert.equal(body.provider, 'openai')
    const { status, provider, model } = await client.ended(body.public_id)
    assert.deepEqual([status, provider, model], ['success', 'sandbox', null])
  })

  const REFUSED: Record<string, [body: object, status: number, loc: unknown[] | undefined]> = {
    'a bad input': [{ input: {} }, 422, ['body', 'input', 'text']],
    'a file that is none': [{ model: 'ocr/ocr_async/sandbox', input: { file: 'x' } }, 422, ['body', 'input', 'file']],
    'an unknown task': [{ model: 'text/nonsense/sandbox' }, 404, undefined],
    'an unknown provider': [{ model: 'text/moderation/nonsense' }, 404, undefined],
    'a provider without a key': [{ model: 'text/moderation/keyless/x' }, 424, undefined],
    'a fallback of another task': [{ fallbacks: ['text/spell_check/sandbox'] }, 422, ['body', 'fallbacks', 0]],
    'a receiver that is no address': [{ webhook_receiver: 'x' }, 422, ['body', 'webhook_receiver']],
    'an empty receiver': [{ webhook_receiver: '' }, 422, ['body', 'webhook_receiver']],
    'a receiver inside': [{ webhook_receiver: 'https://10.0.0.1/' }, 422, ['body', 'webhook_receiver']],
    'a receiver without TLS': [{ webhook_receiver: 'http://93.184.215.14/' }, 422, ['body', 'webhook_receiver']],
    'parameters that are a list': [{ user_webhook_parameters: [] }, 422, ['body', 'user_webhook_parameters']],
    'parameters that are too long': [
      { user_webhook_parameters: { text: 'x'.repeat(262_144) } },
      422,
      ['body', 'user_webhook_parameters'],
    ],
    'parameters with half a character in a name': [
      { user_webhook_parameters: { deep: [{ '\ud800': 1 }] } },
      422,
      ['body', 'user_webhook_parameters', 'deep', 0, '\ufffd'],
    ],
  }
  for (const [what, [body, status, loc]] of Object.entries(REFUSED)) {
    test(`${what} is refused before there is a job`, async () => {
      const before = await total()
      const reply = await client.submit({ ...JOB, ...body })
      assert.equal(reply.status, status, reply.text)
      assert.deepEqual(reply.body.detail?.[0]?.loc, loc)
      assert.equal(await total(), before)
    })
  }

  test('a job belongs to its owner, and to all keys of the owner', async () => {
    const { public_id } = (await client.submit(JOB)).body
    await client.ended(public_id)
    const path = `${PATH}/${public_id}`
    for (const call of ['get', 'delete'] as const) {
      const [foreign, unknown] = [await stranger[call](path), await stranger[call](`${PATH}/${randomUUID()}`)]
      assert.deepEqual([foreign.status, foreign.text], [unknown.status, unknown.text])
      assert.deepEqual([foreign.status, foreign.body.error.code], [404, 'not_found'])
      assert.equal((await client[call](`${PATH}/nonsense`)).status, 422)
    }
    assert.equal((await stranger.get<UniversalJobList>(PATH)).body.total, 0)
    const partner = taskClient(gateway.gateway.url, (await admin.issue({ owner: 'default' })).key)
    assert.equal((await partner.get<UniversalJob>(path)).body.public_id, public_id)
    assert.equal((await partner.delete(path)).status, 200)
  })

  test('a job returns the parameters of its caller digit for digit, with a webhook and without', async () => {
    const parameters = '{"a":1.10,"b":12345678901234567890,"c":[1e2,-0,0.30000000000000004,1e400],"d":"1.10","ä":null}'
    for (const more of [{}, { webhook_receiver: 'https://93.184.215.14/' }]) {
      const submitted = await client.submit({ ...JOB, ...more, user_webhook_parameters: withRawNumbers(parameters) })
      assert.equal(submitted.status, 202, submitted.text)
      const { public_id } = submitted.body
      await client.ended(public_id)
      for (const text of [submitted.text, (await client.get(`${PATH}/${public_id}`)).text])
        assert.ok(text.endsWith(`,"user_parameters":${parameters}}`), text)
    }
    assert.ok(!('user_parameters' in (await client.submit(JOB)).body))
  })

  test('of repeated keys the last value counts, digit for digit', async () => {
    const repeated = '{"a":9.0,"a":1.10,"b":{"c":1e2,"c":[12345678901234567890]},"d":2.50,"d":2.50}'
    const reply = await fetch(`${gateway.gateway.url}${PATH}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body: `{"model":"${JOB.model}","input":{"text":"Hello"},"user_webhook_parameters":${repeated}}`,
    })
    const text = await reply.text()
    const { job_id } = JSON.parse(text) as UniversalJob
    await client.ended(job_id)
    for (const answer of [text, (await client.get(`${PATH}/${job_id}`)).text])
      assert.ok(answer.endsWith(',"user_parameters":{"a":1.10,"b":{"c":[12345678901234567890]},"d":2.50}}'), answer)
  })

  test('the digits of a number count, too', async () => {
    const long = withRawNumbers(`{"a":1.${'0'.repeat(262_144)}}`)
    const refused = await client.submit({ ...JOB, user_webhook_parameters: long })
    assert.deepEqual([refused.status, refused.body.detail[0]?.loc], [422, ['body', 'user_webhook_parameters']])
  })

  test('the list has filters and pages, newest first', async () => {
    const lister = taskClient(gateway.gateway.url, (await admin.issue()).key)
    const models = ['text/moderation/sandbox', 'text/spell_check/sandbox', 'translation/language_detection/sandbox']
    const ids: string[] = []
    for (const model of models) {
      await nextMillisecond(gateway.gateway.gateway.services.calls.db)
      ids.push((await lister.submit({ ...JOB, model })).body.public_id)
    }
    for (const id of ids) await lister.ended(id)
    const idsOf = async (query: string) =>
      (await lister.get<UniversalJobList>(`${PATH}?${query}`)).body.items.map(({ public_id }) => public_id)
    const { body } = await lister.get<UniversalJobList>(PATH)
    assert.deepEqual({ ...body, items: [] }, { items: [], total: 3, page: 1, limit: 100, total_pages: 1 })
    const { created_at, ...newest } = body.items[0]!
    const names = { provider: 'sandbox', feature: 'translation', subfeature: 'language_detection', model: null }
    assert.match(created_at, ISO)
    assert.deepEqual(newest, { public_id: ids[2], job_id: ids[2], status: 'success', ...names })
    assert.deepEqual(await idsOf('limit=2&page=2'), [ids[0]])
    assert.deepEqual(await idsOf('limit=2&page=3'), [])
    assert.deepEqual((await idsOf('feature=text')).toSorted(), ids.slice(0, 2).toSorted())
    assert.deepEqual(await idsOf('feature=text&subfeature=spell_check'), [ids[1]])
    assert.deepEqual(await idsOf('status=fail'), [])
    assert.equal((await idsOf('status=success')).length, 3)
  })

  for (const query of ['status=done', 'page=0', 'limit=1001', 'feature=a&feature=b', `subfeature=${'x'.repeat(101)}`]) {
    test(`a list with ${query.slice(0, 20)} is refused`, async () => {
      const { status, body, text } = await client.get(`${PATH}?${query}`)
      assert.deepEqual([status, body.detail?.[0]?.loc], [422, ['query', query.split('=')[0]]], text)
    })
  }

  test('a job that runs is not deleted; one that has ended is', async () => {
    const { behaviour, release } = held(answer({ content: GOOD }))
    gateway.openai.always(behaviour)
    const { public_id } = (await client.submit(SENTIMENT)).body
    await gateway.openai.request(0)
    const path = `${PATH}/${public_id}`
    const { status, body } = await client.delete(path)
    assert.deepEqual([status, body.error.code], [409, 'conflict'])
    const running = await client.get<UniversalJobList>(`${PATH}?status=processing`)
    assert.deepEqual(
      running.body.items.map((job) => job.public_id),
      [public_id],
    )
    release()
    assert.equal((await client.ended(public_id)).status, 'success')
    assert.deepEqual((await client.delete(path)).body, { public_id, job_id: public_id, deleted: true })
    assert.equal((await client.delete(path)).status, 404)
    assert.equal((await client.get(path)).status, 404)
  })

  test('the operator sees jobs of all, without what is in them', async () => {
    await nextMillisecond(gateway.gateway.gateway.services.calls.db)
    const { public_id } = (await stranger.submit({ ...JOB, input: { text: 'a secret text' } })).body
    await stranger.ended(public_id)
    const { body, text } = await admin.get<AdminJobs>('/admin/jobs?limit=1')
    const [job] = body.items
    assert.equal(job!.id, public_id)
    for (const name of ['created_at', 'started_at', 'finished_at']) assert.match(String(job![name]), ISO)
    assert.deepEqual([job!.status, job!.executions, job!.cost], ['success', 1, 0])
    assert.doesNotMatch(text, /secret|output|request/)
    const next = await admin.get<AdminJobs>(`/admin/jobs?limit=1&cursor=${body.next_cursor}`)
    assert.notEqual(next.body.items[0]!.id, public_id)
    assert.equal((await admin.get('/admin/jobs?status=done')).status, 422)
    assert.equal((await admin.get('/admin/jobs?cursor=nonsense')).status, 422)
    assert.equal((await admin.get<AdminJobs>('/admin/jobs?status=processing')).body.items.length, 0)
  })

  async function total(): Promise<number> {
    return (await client.get<UniversalJobList>(PATH)).body.total
  }
})

type AdminJobs = { items: Record<string, unknown>[]; next_cursor: string | null }

/** Waits for a signal from the test before it behaves as set. */
function held(behaviour: Behaviour) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const waiting: Behaviour = async (seen, response) => {
    await promise
    return behaviour(seen, response)
  }
  return { behaviour: waiting, release: () => resolve() }
}

function inputOf({ example }: Feature, file: string): object {
  const fields = Object.entries(example.input as object)
  return Object.fromEntries(fields.map(([name, value]) => [name, name === 'file' ? file : value]))
}
