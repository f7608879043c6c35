import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OpenAI } from 'openai'
import { startFakeProvider } from '../../fakes/provider.ts'
import { stream } from '../../fakes/stream.ts'
import { openDatabase } from '../../../src/platform/store/open-database.ts'
import { collect } from '../../gateway/collect.ts'
import { startProcess, temporaryFolder } from '../../gateway/gateway-process.ts'
import { ADMIN_KEY, API_KEY, startGateway } from '../../gateway/gateway-under-test.ts'
import {
  type Event,
  MODEL,
  TEXT,
  EVENTS,
  clientOf,
  uuidOf,
  deltas,
  outputText,
} from '../../gateway/background-client.ts'

test('a response survives the death of its process: it is made again, and its numbers go on', async (t) => {
  const closing = new AsyncDisposableStack()
  t.after(() => closing.disposeAsync())
  const folder = await temporaryFolder()
  closing.defer(folder.remove)
  const openai = await startFakeProvider()
  closing.defer(openai.close)
  const keys = { GATEHOUSE_API_KEY: API_KEY, GATEHOUSE_ADMIN_KEY: ADMIN_KEY, OPENAI_API_KEY: 'sk-x' }
  const env = { DATA_DIR: folder.path, OPENAI_BASE_URL: openai.url, ...keys }
  const first = await startProcess(env)
  closing.defer(() => void first.child.kill('SIGKILL'))
  openai.always(stream(EVENTS, { waitFor: new Promise(() => {}), waitAfter: 3 }))
  const asked = { model: MODEL, input: 'Count.', background: true, stream: true } as const
  const seen: Event[] = []
  for await (const event of await clientOf(first).responses.create(asked)) {
    seen.push(event)
    if (event.type === 'response.output_text.delta') break
  }
  first.child.kill('SIGKILL')
  await first.ended
  const db = await openDatabase({ dataDir: folder.path })
  closing.defer(db.close)
  await db.query("UPDATE jobs SET lease_until = 1 WHERE state = 'running'")
  openai.always(stream(EVENTS))
  const second = await startGateway({ env, dataDir: folder.path })
  closing.defer(second.close)
  const { id } = (seen[0] as OpenAI.Responses.ResponseCreatedEvent).response
  const after = seen.at(-1)!.sequence_number
  const left = await collect(await clientOf(second).responses.retrieve(id, { stream: true, starting_after: after }))
  // The first process may have written an event more than its client had read.
  const begun = left.findIndex(({ type }) => type === 'response.created')
  assert.ok(begun >= 0, 'it begins again')
  const rest = left.slice(begun)
  assert.equal(deltas(rest), TEXT)
  const numbers = rest.map(({ sequence_number }) => sequence_number)
  assert.ok(numbers[0]! > after)
  assert.deepEqual(
    numbers,
    numbers.map((_, at) => numbers[0]! + at),
  )
  const all = await collect(await clientOf(second).responses.retrieve(id, { stream: true }))
  assert.deepEqual(all, rest, 'a new reader sees the whole answer once')
  assert.equal(outputText(await clientOf(second).responses.retrieve(id)), TEXT)
  const lines = await db.query('SELECT id FROM usage WHERE id LIKE $1', [`${uuidOf(id)}%`])
  assert.equal(lines.length, 1)
})
