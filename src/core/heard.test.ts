import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileOf, toolsAnswering } from '../features/calls/fixtures/recording.ts'
import { linesOf, refusing } from '../features/makers/fixtures/maker-run.ts'
import { type Begun, listenAsTask } from './heard.ts'
import type { ChatTarget } from './route.ts'

const TARGET = { id: 'assembly/universal', provider: { id: 'assembly' }, model: 'universal' } as unknown as ChatTarget
const FIELDS = { model: TARGET.id }
const RECORDING = fileOf('a.mp3', 'audio/mpeg', 'sound')

test('a recording that is being heard is not handed in again when asking for it failed; a guessed length is said', async () => {
  const begin = [refusing(200, { upload_url: 'https://u' }), refusing(200, { id: 't1', status: 'queued' })]
  const failing = toolsAnswering({ answers: [...begin, refusing(500, {})] })
  const patience = { begun: new Map() as Begun, sleep: async () => {} }
  await assert.rejects(listenAsTask(FIELDS, RECORDING, TARGET, failing.tools, patience), { kind: 'server_error' })
  const asked = linesOf(failing.asked)
  assert.deepEqual(asked.slice(0, 3), ['POST /upload', 'POST /transcript', 'GET /transcript/t1'])

  const done = toolsAnswering(refusing(200, { id: 't1', status: 'completed', text: 'Hi.' }))
  failing.tools.send = done.tools.send
  const other = toolsAnswering(refusing(401, {}))
  const heard = await listenAsTask(FIELDS, RECORDING, TARGET, other.tools, patience)
  assert.deepEqual([linesOf(done.asked), other.asked], [['GET /transcript/t1'], []])
  assert.ok('transcript' in heard && heard.transcript.text === 'Hi.' && heard.estimated)
})
