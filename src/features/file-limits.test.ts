import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonSchema } from '../contract/json-schema.ts'
import { findAdapter, providersOf } from './adapters.ts'
import { fileOf, performed, taskOf, toolsAnswering } from './calls/fixtures/recording.ts'
import { TaskFailure } from './calls/task-failure.ts'
import type { Feature, TaskFile } from './feature.ts'
import { FEATURES } from './index.ts'
import { refusing } from './makers/fixtures/maker-run.ts'

// What a provider is known not to take is told before it is asked. The engines of the house read a file to know.

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
/** A kind of file that every provider of the feature takes. */
const TAKEN: Record<string, string> = {
  audio: 'audio/mpeg',
  image: 'image/png',
  ocr: 'image/png',
  translation: DOCX,
  video: 'video/mp4',
}
const NONSENSE = 'application/x-nonsense'
const TERABYTE = 1024 ** 4

for (const feature of FEATURES) {
  const fields = fileFields(feature)
  for (const provider of fields.length > 0 ? providersOf(feature) : []) {
    if (provider === 'local' || provider === 'sandbox') continue
    const address = `${feature.feature}/${feature.subfeature}/${provider}`
    // A picture to begin a film with is the one file that may be missing.
    const type = feature.subfeature === 'generation_async' ? 'image/png' : TAKEN[feature.feature]!
    test(`${address} is not asked about a file of another kind, or one that is too large`, async () => {
      assert.deepEqual(await refusedWith(feature, provider, fields, file(NONSENSE, 1)), [415, 'unsupported_media_type'])
      assert.deepEqual(await refusedWith(feature, provider, fields, file(type, TERABYTE)), [422, 'file_too_large'])
    })
  }
}

async function refusedWith(feature: Feature, provider: string, fields: string[], given: TaskFile) {
  const { tools, asked } = toolsAnswering(refusing(500, {}))
  const input = { ...(structuredClone(feature.example.input) as object), reference_images: ['x'] }
  const files = Object.fromEntries(fields.flatMap((name) => [name, `${name}.0`]).map((name) => [name, given]))
  const adapter = await findAdapter(feature, provider)!()
  const failure = await performed(adapter, taskOf(input, { files }), tools).catch((error: unknown) => error)
  assert.ok(failure instanceof TaskFailure, String(failure))
  assert.equal(asked.length, 0, failure.message)
  return [failure.status, failure.code]
}

function file(type: string, size: number): TaskFile {
  return { ...fileOf('a', type, 'content'), size }
}

function fileFields({ input }: Feature): string[] {
  const { properties = {} } = input as JsonSchema
  return Object.keys(properties).filter((name) => JSON.stringify(properties[name]).includes('"file-input"'))
}
