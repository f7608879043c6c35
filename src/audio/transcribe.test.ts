import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileOf, toolsAnswering } from '../tasks/http/fixtures/recording.ts'
import { linesOf, refusalAnswer } from '../tasks/vendors/fixtures/run-adapter.ts'
import { type Begun, transcribeAsTask } from './transcribe.ts'
import type { ChatTarget } from '../routing/route.ts'

const TARGET = { id: 'assembly/universal', provider: { id: 'assembly' }, model: 'universal' } as unknown as ChatTarget
const FIELDS = { model: TARGET.id }
const RECORDING = fileOf('a.mp3', 'audio/mpeg', 'sound')

test('a recording that a provider already has is not sent again after a failed poll; an estimated length is reported', async () => {
  const begin = [refusalAnswer(200, { upload_url: 'https://u' }), refusalAnswer(200, { id: 't1', status: 'queued' })]
  const failing = toolsAnswering({ answers: [...begin, refusalAnswer(500, {})] })
  const waiting = { begun: new Map() as Begun, sleep: async () => {} }
  await assert.rejects(transcribeAsTask({ fields: FIELDS, file: RECORDING }, TARGET, failing.tools, waiting), {
    kind: 'server_error',
  })
  const requests = linesOf(failing.requests)
  assert.deepEqual(requests.slice(0, 3), ['POST /upload', 'POST /transcript', 'GET /transcript/t1'])

  const done = toolsAnswering(refusalAnswer(200, { id: 't1', status: 'completed', text: 'Hi.' }))
  failing.tools.send = done.tools.send
  const other = toolsAnswering(refusalAnswer(401, {}))
  const transcription = await transcribeAsTask({ fields: FIELDS, file: RECORDING }, TARGET, other.tools, waiting)
  assert.deepEqual([linesOf(done.requests), other.requests], [['GET /transcript/t1'], []])
  assert.ok('transcript' in transcription && transcription.transcript.text === 'Hi.' && transcription.estimated)
})
