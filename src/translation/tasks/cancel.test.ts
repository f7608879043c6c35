import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findAdapter, providersOf } from './adapters.ts'
import { fileOf, taskOf, toolsAnswering } from './http/fixtures/recording.ts'
import type { SlowAdapter } from './feature.ts'
import { FEATURES } from './index.ts'
import { linesOf, refusalAnswer } from './vendors/fixtures/run-adapter.ts'
import hear from './audio/speech_to_text_async/amazon.ts'
import hearAtGoogle from './audio/speech_to_text_async/google.ts'
import read from './ocr/ocr_async/amazon.ts'

const STAGED = { keeper: 's3', bucket: 'b', name: 'gatehouse/1' }
const STORED = { keeper: 'storage', bucket: 'b', name: 'gatehouse/1' }
const ANALYSIS = '/documentintelligence/documentModels/prebuilt-read/analyzeResults/1?api-version=2024-11-30'

/** What ends a task at its provider, by who can. */
const CANCELS: Record<string, [ticket: object, lines: string[]]> = {
  'audio/speech_to_text_async/amazon': [
    { job: 'j', file: STAGED, transcript: { ...STAGED, name: 'gatehouse/2' } },
    ['POST /transcribe/', 'DELETE /s3/gatehouse/1', 'DELETE /s3/gatehouse/2'],
  ],
  'audio/speech_to_text_async/assembly': [{ id: '1' }, ['DELETE /transcript/1']],
  'audio/speech_to_text_async/gladia': [{ id: '1' }, ['DELETE /pre-recorded/1']],
  'audio/speech_to_text_async/google': [
    { operation: 'projects/1/operations/2', file: STORED },
    ['DELETE /storage/gatehouse/1', 'POST /speech-operations/projects/1/operations/2:cancel'],
  ],
  'ocr/ocr_async/amazon': [{ job: 'j', file: STAGED }, ['DELETE /s3/gatehouse/1']],
  'ocr/ocr_async/microsoft': [{ path: ANALYSIS }, [`DELETE ${ANALYSIS}`]],
  'ocr/ocr_tables_async/amazon': [{ job: 'j', file: STAGED }, ['DELETE /s3/gatehouse/1']],
  'ocr/ocr_tables_async/microsoft': [{ path: ANALYSIS }, [`DELETE ${ANALYSIS}`]],
  'video/generation_async/bytedance': [{ id: '1' }, ['DELETE /contents/generations/tasks/1']],
  'web/batch_scrape_async/firecrawl': [{ id: '1' }, ['DELETE /batch/scrape/1']],
  'web/crawl_async/firecrawl': [{ id: '1' }, ['DELETE /crawl/1']],
  'web/research_async/firecrawl': [{ id: '1' }, ['DELETE /agent/1']],
}

/** Whose references name no way to stop a task. */
const UNSTOPPABLE = [
  'translation/document_translation/deepl',
  'video/deepfake_detection_async/resemble',
  'video/generation_async/amazon',
  'video/generation_async/google',
  'video/generation_async/minimax',
  'video/generation_async/pixverse',
  'video/generation_async/pruna',
  'video/generation_async/xai',
  'web/research_async/linkup',
  'web/research_async/tavily',
  'web/structured_extraction_async/firecrawl',
]

test('every slow adapter stops its task at the provider, or is known to have no way to', async () => {
  const stops: string[] = []
  const others: string[] = []
  for (const feature of FEATURES) {
    for (const provider of providersOf(feature)) {
      const adapter = await findAdapter(feature, provider)!()
      const address = `${feature.feature}/${feature.subfeature}/${provider}`
      if ('start' in adapter) (adapter.cancel ? stops : others).push(address)
    }
  }
  assert.deepEqual(stops.toSorted(), Object.keys(CANCELS))
  assert.deepEqual(others.toSorted(), UNSTOPPABLE)
})

for (const [address, [ticket, lines]] of Object.entries(CANCELS)) {
  test(`${address} is stopped at its provider`, async () => {
    const { default: adapter } = (await import(`./${address}.ts`)) as { default: SlowAdapter }
    const { tools, requests } = toolsAnswering(refusalAnswer(200, {}))
    await adapter.cancel!(ticket, tools)
    assert.deepEqual(linesOf(requests), lines)
  })
}

test('what was put into a bucket for a task that did not begin is taken away', async () => {
  const file = fileOf('a.png', 'image/png', 'x')
  const audio = fileOf('a.mp3', 'audio/mpeg', 'x')
  const begun = [
    [read, file, 's3'],
    [hear, audio, 's3'],
    [hearAtGoogle, audio, 'storage'],
  ] as const
  for (const [adapter, file, keeper] of begun) {
    const answers = [refusalAnswer(200, {}), refusalAnswer(400, { message: 'not today' }), refusalAnswer(204, '')]
    const { tools, requests } = toolsAnswering({ answers })
    const task = taskOf({ file: 'x' }, { files: { file: file } })
    await assert.rejects(async () => await adapter.start(task, tools), { kind: 'bad_request' })
    const [put, , dropped] = linesOf(requests)
    assert.match(put!, new RegExp(`^PUT /${keeper}/gatehouse/`))
    assert.equal(dropped, put!.replace('PUT', 'DELETE'))
  }
})
