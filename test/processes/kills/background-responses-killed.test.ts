import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
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

const LOOK_AGAIN_MS = 10

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
  const { id } = (seen[0] as OpenAI.Responses.ResponseCreatedEvent).response
  while (!isNoted(uuidOf(id), folder.path)) await setTimeout(LOOK_AGAIN_MS)
  first.child.kill('SIGKILL')
  await first.ended
  const db = await openDatabase({ dataDir: folder.path })
  closing.defer(db.close)
  await db.query("UPDATE jobs SET lease_until = 1 WHERE state = 'running'")
  openai.always(stream(EVENTS))
  const second = await startGateway({ env, dataDir: folder.path })
  closing.defer(second.close)
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
  await second.gateway.services.calls.ledger.flush()
  const lines = await db.query<{ id: string; code: string | null }>(
    'SELECT id, code FROM usage WHERE id LIKE $1 AND cost_nanos > 0 ORDER BY id',
    [`${uuidOf(id)}%`],
  )
  const paid = lines.map((line) => [line.id, line.code])
  assert.deepEqual(paid, [
    [uuidOf(id), null],
    [`${uuidOf(id)}.1`, 'interrupted'],
  ])
})

/** Whether the ledger will know of this execution after a kill. */
function isNoted(job: string, dataDir: string): boolean {
  const ledger = join(dataDir, 'ledger')
  const files = readdirSync(ledger).filter((name) => name.endsWith('.in-flight'))
  return files.some((name) => readFileSync(join(ledger, name), 'utf8').includes(job))
}
