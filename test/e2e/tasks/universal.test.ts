import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { png } from '../../../src/base/sniff/fixtures/small-files.ts'
import { validator } from '../../../src/base/schema/validator.ts'
import type { Feature } from '../../../src/translation/tasks/feature.ts'
import { FEATURES } from '../../../src/translation/tasks/index.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { type TaskClient, taskClient } from '../../gateway/task-client.ts'
import { DAY_MS } from '../../../src/base/units/units.ts'

const EIGHT_DAYS_MS = 8 * DAY_MS
/** These answers have to match the request, so the sandbox computes them. */
const FITTED = [
  'translation/automatic_translation',
  'text/summarize',
  'text/embeddings',
  'text/search',
  'text/custom_classification',
]
const MODERATION = { model: 'text/moderation/sandbox', input: { text: 'Hello' } }

describe('universal tasks', () => {
  let gateway: GatewayUnderTest
  let client: TaskClient
  let file: string
  let late = 0
  before(async () => {
    gateway = await startGateway({ overrides: { now: () => Date.now() + late } })
    client = taskClient(gateway.url)
    file = (await client.store(png(4, 4), 'a.png')).file_id
  })
  after(() => gateway?.close())

  test('there are 52 of them', () => assert.equal(FEATURES.length, 52))

  for (const feature of FEATURES.filter(({ mode }) => mode === 'sync')) {
    const task = `${feature.feature}/${feature.subfeature}`
    test(`${task} answers its example`, async () => {
      const { status, headers, body, text } = await client.run({ model: `${task}/sandbox`, input: inputOf(feature) })
      assert.equal(status, 200, text)
      const { output, ...rest } = body
      const names = { provider: 'sandbox', feature: feature.feature, subfeature: feature.subfeature }
      assert.deepEqual(rest, { status: 'success', cost: 0, ...names })
      assert.deepEqual(validator(feature.output).issues(output, []), [])
      if (!FITTED.includes(task)) assert.deepEqual(withoutLinks(output), withoutLinks(feature.example.output))
      const reported = ['model', 'provider', 'attempts', 'cost'].map((name) => headers.get(`x-gatehouse-${name}`))
      assert.deepEqual(reported, [`${task}/sandbox`, 'sandbox', '1', '0'])
    })
  }

  for (const feature of FEATURES.filter(({ mode }) => mode === 'async')) {
    test(`${feature.feature}/${feature.subfeature} is sent elsewhere, and no file is fetched for it`, async () => {
      const { feature: name, subfeature } = feature
      const { status, body } = await client.run({ model: `${name}/${subfeature}/sandbox`, input: inputOf(feature) })
      assert.equal(status, 422)
      assert.match(body.error.message, /POST \/v3\/universal-ai\/async/)
      assert.deepEqual([body.error.param, body.detail[0]!.loc], ['model', ['body', 'model']])
    })
  }

  test('the provider’s own answer comes when asked for', async () => {
    const { body } = await client.run({ ...MODERATION, show_original_response: true })
    assert.deepEqual(body.original_response, { simulated: true, output: body.output })
    for (const show_original_response of [false, null])
      assert.ok(!('original_response' in (await client.run({ ...MODERATION, show_original_response })).body))
  })

  const UNKNOWN: Record<string, [model: string, says: RegExp]> = {
    'no feature': ['nonsense/moderation/sandbox', /no feature 'nonsense'.*text, web, ocr/],
    'no task': ['text/nonsense/sandbox', /no task 'text\/nonsense'.*moderation, named_entity_recognition/],
    'no provider': [
      'text/moderation/nonsense',
      /'nonsense' does not support text\/moderation\. Providers: openai, .*sandbox/,
    ],
    'a provider without that task': ['image/face_compare/openai', /'openai' does not support.*Providers: .*sandbox\./],
    'a provider left out': ['text/moderation', /Providers: openai, .*sandbox/],
    'a prototype for a provider': ['text/moderation/__proto__/x', /'__proto__' does not support/],
    'a prototype for a feature': ['constructor/name/sandbox', /no feature 'constructor'/],
    'a megabyte': ['x'.repeat(1_000_000), /no feature 'x{100}…'/],
    nothing: ['', /no feature ''/],
  }
  for (const [what, [model, says]] of Object.entries(UNKNOWN)) {
    test(`${what}: 404, with what there is`, async () => {
      const { status, body } = await client.run({ model, input: { text: 'x' } })
      assert.deepEqual([status, body.error.code, body.error.param], [404, 'model_not_found', 'model'])
      assert.match(body.error.message, says)
    })
  }

  const FAULTS: Record<string, [body: object, loc: (string | number)[], type: string]> = {
    'no input': [{ input: undefined }, ['body', 'input'], 'missing'],
    'an input that is no object': [{ input: 'x' }, ['body', 'input'], 'dict_type'],
    'a list for an input': [{ input: [] }, ['body', 'input'], 'dict_type'],
    'a field missing': [{ input: {} }, ['body', 'input', 'text'], 'missing'],
    'a field of another type': [{ input: { text: 1 } }, ['body', 'input', 'text'], 'string_type'],
    'a field that is not there': [{ input: { text: 'x', texts: [] } }, ['body', 'input', 'texts'], 'extra_forbidden'],
    'a rule of the task': [
      { model: 'image/generation/sandbox', input: { text: 'x', mask: randomUUID() } },
      ['body', 'input', 'reference_images'],
      'missing',
    ],
    'no model': [{ model: undefined }, ['body', 'model'], 'missing'],
    'a fallback too many': [{ fallbacks: Array(4).fill('sandbox') }, ['body', 'fallbacks'], 'too_long'],
    'a fallback of another task': [
      { fallbacks: ['sandbox', 'text/spell_check/sandbox'] },
      ['body', 'fallbacks', 1],
      'value_error',
    ],
    'a fallback for a voice': [
      { model: 'audio/tts/sandbox', fallbacks: ['sandbox'] },
      ['body', 'fallbacks'],
      'value_error',
    ],
    'a fallback for a collection': [
      { model: 'image/face_recognition/sandbox', fallbacks: ['sandbox'] },
      ['body', 'fallbacks'],
      'value_error',
    ],
    'params that are no object': [{ provider_params: [] }, ['body', 'provider_params'], 'dict_type'],
    'an original of yes': [{ show_original_response: 'yes' }, ['body', 'show_original_response'], 'bool_type'],
  }
  for (const [what, [body, loc, type]] of Object.entries(FAULTS)) {
    test(`${what}: refused at ${loc.join('.')}`, async () => {
      const reply = await client.run({ ...MODERATION, ...body })
      assert.equal(reply.status, 422, reply.text)
      assert.deepEqual([reply.body.detail[0]!.loc, reply.body.detail[0]!.type], [loc, type])
      assert.ok(!('status' in reply.body), 'no provider was asked, so no task failed')
    })
  }

  test('a provider without a credential: 424 with the variable, also as a fallback', async () => {
    for (const body of [
      { model: 'text/moderation/openai' },
      { model: 'text/sentiment_analysis/openai/gpt-4o' },
      { model: 'text/moderation/sandbox', fallbacks: ['openai'] },
    ]) {
      const reply = await client.run({ ...MODERATION, ...body })
      assert.deepEqual([reply.status, reply.body.error.code], [424, 'provider_not_configured'])
      assert.match(reply.body.error.message, /OPENAI_API_KEY/)
    }
  })

  test('a slash too many names no model', async () => {
    const { status, headers } = await client.run({ ...MODERATION, model: 'text/moderation/sandbox/' })
    assert.deepEqual([status, headers.get('x-gatehouse-model')], [200, 'text/moderation/sandbox'])
  })

  test('a sandbox key gets the sandbox’s answer from every provider', async () => {
    const { key } = await adminClient(gateway.adminUrl).issue({ kind: 'sandbox' })
    const sandboxed = taskClient(gateway.url, key)
    for (const model of ['text/moderation/openai', 'text/moderation/openai/omni-moderation-latest']) {
      const { status, body, text } = await sandboxed.run({ ...MODERATION, model })
      assert.equal(status, 200, text)
      assert.deepEqual([body.provider, body.cost], ['sandbox', 0])
    }
    const { body } = await sandboxed.run({ ...MODERATION, model: 'text/sentiment_analysis/openai/gpt-4o' })
    assert.equal(body.status, 'success')
    assert.equal((await sandboxed.run({ ...MODERATION, model: 'text/moderation/nonsense' })).status, 404)
  })

  test('a key for other models or endpoints may not', async () => {
    const admin = adminClient(gateway.adminUrl)
    for (const scopes of [['chat'], ['model:openai/*'], ['universal', 'model:text/spell_check/*']]) {
      const { key } = await admin.issue({ scopes })
      const { status, body } = await taskClient(gateway.url, key).run(MODERATION)
      assert.deepEqual([status, body.error.code], [403, 'not_allowed'])
    }
    const { key } = await admin.issue({ scopes: ['universal', 'model:text/moderation/*'] })
    const reply = await taskClient(gateway.url, key).run({ ...MODERATION, fallbacks: ['sandbox'] })
    assert.equal(reply.status, 200)
  })

  describe('a file that a task made', () => {
    let link: URL
    before(async () => {
      const { body } = await client.run({ model: 'audio/tts/sandbox', input: { text: 'Hello' } })
      link = new URL((body.output as { audio_resource_url: string }).audio_resource_url)
    })

    test('is fetched without a key, as an attachment', async () => {
      assert.equal(link.origin, gateway.url)
      const response = await fetch(link)
      assert.equal(response.status, 200)
      const names = ['content-type', 'content-disposition', 'content-security-policy', 'x-content-type-options']
      const [type, disposition, policy, sniff] = names.map((name) => response.headers.get(name))
      assert.match(`${type} ${disposition}`, /^audio\/wav attachment;/)
      assert.deepEqual([policy, sniff], ["sandbox; default-src 'none'", 'nosniff'])
      assert.equal(Buffer.from(await response.arrayBuffer()).toString('latin1', 0, 4), 'RIFF')
    })

    test('is not among the owner’s uploads', async () => {
      const { body } = await client.get<{ items: { file_id: string }[] }>('/v3/upload')
      assert.deepEqual(
        body.items.map(({ file_id }) => file_id),
        [file],
      )
    })

    test('is gone after its time', async () => {
      late = EIGHT_DAYS_MS
      const { status } = await fetch(link)
      late = 0
      assert.deepEqual([status, (await fetch(link)).status], [404, 200])
    })

    const CHANGES: Record<string, (link: URL) => void> = {
      'another id': (link) => {
        link.pathname = `/results/${randomUUID()}`
      },
      'another signature': (link) => link.searchParams.set('signature', '0'.repeat(64)),
      'a signature that is no ASCII': (link) => link.searchParams.set('signature', 'é'.repeat(64)),
      'half a signature': (link) => link.searchParams.set('signature', link.searchParams.get('signature')!.slice(32)),
      'no signature': (link) => link.searchParams.delete('signature'),
      'two signatures': (link) => link.searchParams.append('signature', link.searchParams.get('signature')!),
      'a later end': (link) => link.searchParams.set('expires', String(Number(link.searchParams.get('expires')) + 1)),
      'an end in the past': (link) => link.searchParams.set('expires', '1'),
      'no end': (link) => link.searchParams.delete('expires'),
      'an upload’s id': (link) => {
        link.pathname = `/results/${file}`
      },
    }
    test('an id that is none is malformed', async () => {
      assert.equal((await fetch(new URL(`/results/x${link.search}`, link))).status, 422)
    })

    for (const [what, change] of Object.entries(CHANGES)) {
      test(`${what}: the one answer for all wrong links`, async () => {
        const changed = new URL(link)
        change(changed)
        const response = await fetch(changed)
        const { error } = (await response.json()) as { error: object }
        const message = 'This link is not valid, or has expired.'
        assert.equal(response.status, 404)
        assert.deepEqual(error, { message, type: 'invalid_request_error', code: 'not_found', param: null })
      })
    }
  })

  function inputOf({ example }: Feature): object {
    const fields = Object.entries(example.input as object)
    return Object.fromEntries(fields.map(([name, value]) => [name, /^file\d?$/.test(name) ? file : value]))
  }
})

/** Links differ for every result. */
function withoutLinks(output: unknown): unknown {
  return JSON.parse(JSON.stringify(output, (name, value) => (name.endsWith('_resource_url') ? 'a link' : value)))
}
