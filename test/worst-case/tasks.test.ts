import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { UniversalJob } from '../../src/contract/universal.ts'
import { providersOf } from '../../src/translation/tasks/adapters.ts'
import type { Feature } from '../../src/translation/tasks/feature.ts'
import { fileFieldsIn } from '../../src/translation/tasks/file-fields.ts'
import { FEATURES } from '../../src/translation/tasks/index.ts'
import { png } from '../../src/base/sniff/fixtures/small-files.ts'
import { type TaskClient, taskClient } from '../gateway/task-client.ts'
import { sample } from '../soak/sample.ts'
import { type Answer, assertWorkUnblocked, post, type Sized } from './drive.ts'
import { fittingValue, type Size } from './fitting-inputs.ts'
import { VALUES_OF_EVERY_SHAPE } from './json-shapes.ts'
import { ENGINES_MB, type ProbedGateway, startProbedGateway } from './probed-gateway.ts'
import { TEXTS_OF_EVERY_SHAPE } from './text-shapes.ts'
import { MB } from '../../src/base/units/units.ts'

// Fills every field of every task with as much as its schema accepts and with what it refuses. The sandbox and the
// gateway's own engines run the tasks. A task that runs as a job is followed to its end.

const BYTES = sample(24 * 1024, MB)
const TEXTS_PER_FIELD = sample(1, 3)
/** Fields that are left out at one task are tried at another. */
const EVERY_FIELD = sample(2, 1)
/** How many values to try over all fields of a task. */
const VALUES_PER_TASK = sample(1, 3)
/** Values that a field refuses are tried at some tasks only. */
const EVERY_WITH_VALUES = sample(4, 1)
/** These are read before the task is known. */
const EVERY_WITH_PARAMS = sample(8, 1)
const JOBS = sample(4, 8)
const POLL_MS = 10
/** Names of languages and voices, and numbers. The sandbox has already read them. */
const SHORT_CHARS = 100
const HEAP_MB = sample(256, 768)
/** Starting an engine costs more than its work. Tests of their own run every engine. */
const EVERY_ENGINE = sample(5, 1)
/** How much the engines read at once. */
const ENGINE_TEXT = { bytes: sample(6_000, 50_000), items: sample(16, 100) }

let gateway: ProbedGateway
let client: TaskClient
let valid: Record<string, unknown>
before(async () => {
  gateway = await startProbedGateway(HEAP_MB, {})
  client = taskClient(gateway.url)
  const { file_id } = await client.store(png(64, 64), 'a.png')
  const request = { model: 'image/face_recognition/sandbox', name: 'faces' }
  const { body, text } = await client.post<{ collection_id: string }>('/v3/universal-ai/collections', request)
  assert.ok(body.collection_id, text)
  valid = { file: file_id, collection_id: body.collection_id }
})
after(() => gateway.close())

for (const feature of FEATURES) {
  const name = `${feature.feature}/${feature.subfeature}`
  test(`${name}/sandbox: no field of its input stops or stalls the gateway`, async () => {
    for (const [field, value] of [...fittingFields(feature, { bytes: BYTES }), ...unfittingFields(feature)])
      await assertTaskUnblocked(feature, 'sandbox', { [field]: value })
    if (FEATURES.indexOf(feature) % EVERY_WITH_PARAMS > 0) return
    const { text } = nextOf(VALUES_OF_EVERY_SHAPE, 1)[0]!
    const params = { provider_params: (share: number) => text(BYTES * share, share) }
    await assertTaskUnblocked(feature, 'sandbox', {}, params)
  })
}

for (const feature of FEATURES.filter((one) => providersOf(one).includes('local')).filter(
  (_, at) => at % EVERY_ENGINE === 0,
))
  test(`${feature.feature}/${feature.subfeature}/local: its engine leaves the event loop free`, async () => {
    for (const [field, value] of fittingFields(feature, ENGINE_TEXT))
      if (value(1).length > SHORT_CHARS) await assertTaskUnblocked(feature, 'local', { [field]: value })
  })

test('large jobs at once: no turn of the loop takes longer than one of them needs', async () => {
  const { text } = VALUES_OF_EVERY_SHAPE.find(({ name }) => name === 'distinct keys')!
  const input = JSON.stringify({ url: 'https://example.org' })
  const body = (share: number) =>
    Buffer.from(written({ model: '"web/map/sandbox"', input, provider_params: text(BYTES * share, share) }))
  const send = async (share: number) => {
    const answers = await Promise.all(Array.from({ length: JOBS }, () => doneAsJob(body(share))))
    return answers.find(({ status }) => status !== 202) ?? answers[0]!
  }
  const { status } = await assertWorkUnblocked(gateway, { name: `${JOBS} jobs`, measured: body(1), send })
  assert.equal(status, 202)
})

test('all of it in the memory that is documented', () =>
  gateway.assertBounded({ requests: JOBS, threadsMb: ENGINES_MB }))

/** Each field with texts that its schema accepts, as JSON. */
let fields = 0
function* fittingFields(
  { input }: Feature,
  { bytes, items = Infinity }: Omit<Size, 'shape'>,
): Generator<[string, Sized<string>]> {
  for (const [field, schema] of Object.entries(propertiesOf(input)).filter(() => fields++ % EVERY_FIELD === 0))
    for (const shape of nextOf(TEXTS_OF_EVERY_SHAPE, TEXTS_PER_FIELD))
      yield [
        field,
        (share) => JSON.stringify(fittingValue(schema, { bytes: bytes * share, items: items * share, shape })),
      ]
}

/** Rotates through the fields, and one unknown field, with any JSON. */
function unfittingFields(feature: Feature): [string, Sized<string>][] {
  const { input } = feature
  if (FEATURES.indexOf(feature) % EVERY_WITH_VALUES > 0) return []
  const fields = [...Object.keys(propertiesOf(input)), 'unknown_field']
  return nextOf(VALUES_OF_EVERY_SHAPE, VALUES_PER_TASK).map(({ text }, at) => [
    fields[at % fields.length]!,
    (share) => text(BYTES * share, share),
  ])
}

function propertiesOf(input: Feature['input']) {
  return (input as unknown as { properties: Record<string, Feature['input']> }).properties
}

const taken = new Map<readonly unknown[], number>()

/** Rotates, so that every shape is used for some field of most tasks. */
function nextOf<Shape>(shapes: readonly Shape[], count: number): Shape[] {
  const from = taken.get(shapes) ?? 0
  taken.set(shapes, from + count)
  return Array.from({ length: count }, (_, at) => shapes[(from + at) % shapes.length]!)
}

async function assertTaskUnblocked(feature: Feature, provider: string, hard: Hard, more: Hard = {}) {
  const model = `${feature.feature}/${feature.subfeature}/${provider}`
  const body = (share: number) => {
    const input = written({ ...validInput(feature), ...sized(hard, share) })
    return Buffer.from(written({ model: JSON.stringify(model), input, ...sized(more, share) }))
  }
  const send = (share: number) =>
    feature.mode === 'async' ? doneAsJob(body(share)) : post(gateway, { path: '/v3/universal-ai', body: body(share) })
  const [field = 'provider_params'] = Object.keys(hard)
  const { status, text } = await assertWorkUnblocked(gateway, { name: `${model}, ${field}`, measured: body(1), send })
  assert.ok(status >= 200 && status !== 500, `${model}, ${field}: ${text}`)
}

/** Values by name, each as JSON text. */
type Written = Record<string, string>
type Hard = Record<string, Sized<string>>

function sized(hard: Hard, share: number): Written {
  return Object.fromEntries(Object.entries(hard).map(([name, value]) => [name, value(share)]))
}

function written(values: Written): string {
  const members = Object.entries(values).map(([name, value]) => `${JSON.stringify(name)}:${value}`)
  return `{${members.join(',')}}`
}

function validInput(feature: Feature): Written {
  const files = Object.fromEntries(fileFieldsIn(feature.input).map((name) => [name, valid.file]))
  const input = { ...(feature.example.input as object), ...files, ...pick(feature, 'collection_id') }
  const { mask: _, reference_images: __, ...rest } = input as Record<string, unknown>
  return Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, JSON.stringify(value)]))
}

function pick({ collections }: Feature, name: string): object {
  return collections ? { [name]: valid[name] } : {}
}

async function doneAsJob(body: Buffer): Promise<Answer> {
  const answer = await post(gateway, { path: '/v3/universal-ai/async', body })
  if (answer.status !== 202) return answer
  const { error } = await endOf(JSON.parse(answer.text).public_id)
  return error?.message.includes('inside the gateway') ? { status: 500, text: error.message } : answer
}

/** A busy gateway may refuse this request. */
async function endOf(id: string): Promise<UniversalJob> {
  for (;;) {
    const { status, body, text } = await client.get<UniversalJob>(`/v3/universal-ai/async/${id}`)
    assert.ok(status === 200 || status === 503, text)
    if (status === 200 && body.status !== 'processing') return body
    await sleep(POLL_MS)
  }
}
