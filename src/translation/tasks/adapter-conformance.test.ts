import assert from 'node:assert/strict'
import { test } from 'node:test'
import { taskPrice } from '../../platform/catalog/task-prices.ts'
import { issues } from '../../base/schema/validation-issues.ts'
import type { JsonSchema } from '../../base/schema/json-schema.ts'
import { secretForms } from '../../base/redaction/secret-forms.ts'
import { acceptedBy, taskWithFile } from './accepted-by.ts'
import { findAdapter, providersOf } from './adapters.ts'
import type { Accepted } from './inputs/accept-file.ts'
import { requestView } from './http/fixtures/adapter-requests.ts'
import { exampleTask } from './http/fixtures/example-task.ts'
import { failureOf } from './http/fixtures/failure-of.ts'
import {
  BASE_URL,
  CREDENTIAL,
  fileOf,
  performed,
  type Recording,
  recordingOf,
  toolsAnswering,
} from './http/fixtures/recording.ts'
import { AUTH_SENTENCE } from './http/refusal.ts'
import recorded from './errors.recorded.json' with { type: 'json' }
import type { Adapter, Feature, SlowAdapter } from './feature.ts'
import { fileFieldsIn } from './file-fields.ts'
import { FEATURES } from './index.ts'
import { MB } from '../../base/units/units.ts'

// What every adapter must obey, whatever its provider: a new one is held to it by being in the list.

const SOLD = ['character', 'file', 'image', 'operation', 'page', 'request', 'second', 'token']
/** The example of a task is one of these. */
const PIECES = ['file', 'image', 'request']
/** Who says how many characters it was, of another text than ours where it was recorded. */
const COUNTED = ['amazon', 'deepl', 'modernmt']
/** Whose references name no largest file; `local` has the limits of its engines. */
const UNLIMITED = [
  'base64',
  'eagledoc',
  'klippa',
  'local',
  'pruna',
  'resemble',
  'sentisight',
  'sightengine',
  'tabscanner',
  'winstonai',
]

type RecordedError = {
  kind: string
  status: number
  headers?: Record<string, string>
  json: unknown
  reported?: string
}

const ERRORS: Partial<Record<string, RecordedError[]>> = recorded.errors
const FORMS = secretForms(CREDENTIAL)

/** The secret in all writings, in every place where an error has words. */
const SHOUTED: Recording = {
  status: 400,
  headers: { 'content-type': 'application/json', 'x-amzn-errortype': CREDENTIAL },
  json: shouted(`${FORMS.join(' ')} ${BASE_URL}`),
}

for (const feature of FEATURES) {
  for (const provider of providersOf(feature).filter((one) => one !== 'sandbox')) {
    const address = `${feature.feature}/${feature.subfeature}/${provider}`
    const load = findAdapter(feature, provider)!
    if (fileFieldsIn(feature.input).length > 0)
      test(`${address} says which files it takes, before the provider is asked`, async () => {
        await refusesFiles(feature, provider, await load())
      })
    if (provider === 'local') continue
    test(`${address} asks as recorded, and makes an output of the recorded answer`, async () => {
      const units = await playsRecording(feature, address, await load())
      measures(feature, provider, units)
    })
    test(`${address} takes a score that exceeds 1 by a rounding error`, async () => {
      const { tools } = toolsAnswering(rounded(recordingOf(address)))
      const { output } = await performed(await load(), exampleTask(feature), tools)
      assert.deepEqual(issues(feature.output as JsonSchema, output, []), [])
    })
    test(`${address} tells each recorded error by its kind, and quotes no secret`, async () => {
      const adapter = await load()
      await tellsErrors(feature, provider, adapter)
      const failure = await failed(feature, adapter, SHOUTED)
      assert.match(failure.message, /\[redacted\]/)
      const reported = `${failure.message} ${failure.code}`
      for (const form of [...FORMS, BASE_URL]) assert.ok(!reported.includes(form), form)
    })
  }
}

/** Every score of the answers is a little above 1. */
function rounded(recording: Recording): Recording {
  return JSON.parse(JSON.stringify(recording), (name, value) =>
    /score|confidence|prob/i.test(name) && typeof value === 'number' && value > 0 && value <= 1 ? 1.0000001 : value,
  )
}

async function refusesFiles(feature: Feature, provider: string, adapter: Adapter | SlowAdapter): Promise<void> {
  const accepted = await acceptedBy(feature, adapter)
  assert.ok(accepted && accepted.types.length > 0)
  for (const type of accepted.types) assert.match(type, /^[a-z]+\/([a-z0-9.+-]+|\*)$/)
  const { megabytes, pages } = accepted
  if (megabytes === undefined) assert.ok(UNLIMITED.includes(provider), 'a largest file, or a line among the unlimited')
  else assert.equal(await refusal(feature, adapter, accepted, { size: megabytes * MB + 1 }), 'file_too_large')
  if (pages) assert.equal(await refusal(feature, adapter, accepted, { pages: pages + 1 }), 'too_many_pages')
}

async function refusal(
  feature: Feature,
  adapter: Adapter | SlowAdapter,
  { types: [type = ''] }: Accepted,
  much: { size: number } | { pages: number },
): Promise<string | undefined> {
  const { tools, requests } = toolsAnswering(SHOUTED)
  const file = { ...fileOf('a', type.replace('*', 'any'), 'content'), ...much }
  const { status, code } = await failureOf(performed(adapter, taskWithFile(file, feature), tools))
  assert.deepEqual([status, requests.length], [422, 0])
  return code
}

async function playsRecording(feature: Feature, address: string, adapter: Adapter | SlowAdapter): Promise<number> {
  const task = exampleTask(feature)
  const before = JSON.stringify(task)
  const recording = recordingOf(address)
  const { tools, requests, kept } = toolsAnswering(recording)
  const { output, original, units } = await performed(adapter, task, tools)
  assert.deepEqual(issues(feature.output as JsonSchema, output, []), [])
  assert.notEqual(original, undefined)
  assert.equal(JSON.stringify(task), before)
  for (const { bytes } of kept) assert.ok(bytes.length > 0)
  for (const { url, body } of requests) {
    assert.ok(url.startsWith(`${BASE_URL}/`))
    assert.ok(!url.includes(CREDENTIAL) && !Buffer.from(body ?? '').includes(CREDENTIAL))
  }
  const seen = requests.map((request) => requestView(request))
  assert.deepEqual(seen, recording.requests, 'npm run record, and read what it writes')
  return units
}

/** What is measured is what the price is for. */
function measures(feature: Feature, provider: string, units: number): void {
  assert.ok(Number.isInteger(units) && units > 0, `${units} units`)
  const unit = taskPrice(`${feature.feature}/${feature.subfeature}`, provider, null)?.unit ?? feature.unit
  assert.ok(SOLD.includes(unit), `sold by the ${unit}`)
  if (PIECES.includes(unit)) assert.equal(units, 1, `one ${unit}`)
  const { text = '' } = feature.example.input as { text?: string }
  // Sold in steps, and with a least number of them; what a provider counts itself may differ from our example.
  if (unit === 'character' && !COUNTED.includes(provider)) assert.ok(units >= [...text].length, `${units} characters`)
}

async function tellsErrors(feature: Feature, provider: string, adapter: Adapter | SlowAdapter): Promise<void> {
  const errors = ERRORS[provider] ?? []
  assert.ok(errors.length >= 2, `errors.recorded.json has to have errors of ${provider}`)
  for (const { kind, reported, status, headers, json } of errors) {
    const answer = { status, headers: { 'content-type': 'application/json', ...headers }, json }
    const { kind: found, message } = await failed(feature, adapter, answer)
    assert.deepEqual([found, message], [kind, reported ?? AUTH_SENTENCE], JSON.stringify(json))
  }
}

async function failed(feature: Feature, adapter: Adapter | SlowAdapter, answer: Recording) {
  return await failureOf(performed(adapter, exampleTask(feature), toolsAnswering(answer).tools))
}

function shouted(words: string): object {
  const error = { message: words, code: CREDENTIAL, msg: words, type: words }
  return { error, message: words, detail: words, errors: [words] }
}
