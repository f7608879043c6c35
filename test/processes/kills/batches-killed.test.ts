import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { OpenAI } from 'openai'
import { openDatabase } from '../../../src/platform/store/open-database.ts'
import { answer } from '../../fakes/behaviours.ts'
import { startFakeProvider } from '../../fakes/provider.ts'
import { batchClient, chatLine } from '../../gateway/batch-client.ts'
import { startProcess, temporaryFolder } from '../../gateway/gateway-process.ts'
import { ADMIN_KEY, API_KEY, startGateway } from '../../gateway/gateway-under-test.ts'

const LINES = 60
const STATES = ['validating', 'in_progress', 'cancelling', 'finalizing'] as const
const MODEL = 'openai/gpt-4o-mini'
const LOOK_AGAIN_MS = 10

test('a batch survives the death of its process: no line is asked again whose answer was stored, and each is paid once', async (t) => {
  const closing = new AsyncDisposableStack()
  t.after(() => closing.disposeAsync())
  const folder = await temporaryFolder()
  closing.defer(folder.remove)
  const fake = await startFakeProvider()
  closing.defer(fake.close)
  const keys = { GATEHOUSE_API_KEY: API_KEY, GATEHOUSE_ADMIN_KEY: ADMIN_KEY, OPENAI_API_KEY: 'sk-x' }
  const env = { DATA_DIR: folder.path, OPENAI_BASE_URL: fake.url, ...keys }
  const first = await startProcess(env)
  closing.defer(() => void first.child.kill('SIGKILL'))
  // The first ten are answered, the next ones are never.
  const asked: string[] = []
  const isHeld = Promise.withResolvers<void>()
  fake.always((request, response) => {
    asked.push(contentOf(request.body))
    if (asked.length <= 10) return answer()(request, response)
    if (asked.length >= 30) isHeld.resolve()
  })
  const lines = Array.from({ length: LINES }, (_, index) => chatLine(`n${index}`, `line ${index}`, MODEL))
  const { id } = await batchClient(clientOf(first)).create(lines, { execution: 'emulated' })
  await isHeld.promise
  const db = await openDatabase({ dataDir: folder.path })
  closing.defer(db.close)
  const answered = 'SELECT COUNT(*) AS count FROM batch_lines WHERE outcome IS NOT NULL'
  while ((await db.query<{ count: number }>(answered))[0]!.count < 10) await sleep(LOOK_AGAIN_MS)
  first.child.kill('SIGKILL')
  await first.ended
  const before = [...asked]
  fake.always((request, response) => {
    asked.push(contentOf(request.body))
    return answer()(request, response)
  })
  await db.query('UPDATE batches SET lease_until = 1 WHERE ended_at IS NULL')
  const second = await startGateway({ env, dataDir: folder.path, overrides: { batchTiming: { pollMs: 20 } } })
  closing.defer(second.close)
  const batch = await batchClient(clientOf(second)).ended(id)
  assert.deepEqual(batch.request_counts, { total: LINES, completed: LINES, failed: 0 })
  const answers = await batchClient(clientOf(second)).lines(batch.output_file_id!)
  assert.equal(new Set(answers.map(({ custom_id }) => custom_id)).size, LINES)
  const again = asked.slice(before.length)
  const stored = before.slice(0, 10)
  assert.deepEqual(
    again.filter((content) => stored.includes(content)),
    [],
  )
  assert.equal(again.length, LINES - 10)
  await second.gateway.services.calls.ledger.flush()
  const paid = await db.query<{ code: string | null; count: number }>(
    'SELECT code, COUNT(*) AS count FROM usage WHERE batch_id IS NOT NULL GROUP BY code ORDER BY code',
  )
  const counts = new Map(paid.map(({ code, count }) => [code, count]))
  assert.equal(counts.get(null), LINES)
  // What the process had asked when it died has lines of its own.
  assert.equal(counts.get('interrupted'), before.length - 10)
})

for (const state of STATES) {
  test(`a batch that a dead process has left goes on: ${state}`, async (t) => {
    const folder = await temporaryFolder()
    t.after(folder.remove)
    const env = { GATEHOUSE_API_KEY: API_KEY, GATEHOUSE_ADMIN_KEY: ADMIN_KEY }
    // It works on no batch.
    const first = await startGateway({ env, dataDir: folder.path, overrides: { role: 'api' } })
    const lines = [chatLine('one', 'Hello!'), chatLine('two', 'Hello!')]
    const { id } = await batchClient(clientOf(first)).create(lines)
    if (state !== 'validating') await leaveIn(state, first.gateway.services.calls.db)
    await first.close()
    const second = await startGateway({ env, dataDir: folder.path, overrides: { batchTiming: { pollMs: 20 } } })
    t.after(second.close)
    const { status, output_file_id, error_file_id } = await batchClient(clientOf(second)).ended(id)
    const files = await clientOf(second).files.list()
    const results = files.data.filter(({ purpose }) => (purpose as string) === 'batch_output')
    assert.equal(results.length, 1, 'a file that was half written is not left over')
    const isCancelled = state === 'cancelling'
    assert.equal(status, isCancelled ? 'cancelled' : 'completed')
    const answers = await batchClient(clientOf(second)).lines((isCancelled ? error_file_id : output_file_id)!)
    assert.deepEqual(
      answers.map(({ custom_id }) => custom_id),
      ['one', 'two'],
    )
  })
}

type Store = Awaited<ReturnType<typeof openDatabase>>

/** As a process that died in this state leaves the batch. */
async function leaveIn(state: 'in_progress' | 'cancelling' | 'finalizing', db: Store): Promise<void> {
  const [{ id, begins }] = (await db.query<{ id: string; begins: number }>('SELECT id, 0 AS begins FROM batches')) as [
    { id: string; begins: number },
  ]
  const length = Buffer.byteLength(JSON.stringify(chatLine('one', 'Hello!')))
  const isOver = state === 'finalizing'
  for (const [index, name] of ['one', 'two'].entries()) {
    const place = [id, index + 1, name, begins + index * (length + 1), length]
    await db.query(
      `INSERT INTO batch_lines (batch_id, number, custom_id, begins, length, attempt, starts, refusals, bytes, outcome, status, answer)
        VALUES ($1, $2, $3, $4, $5, 1, 1, 0, 2, $6, $7, $8)`,
      [...place, isOver ? 'succeeded' : null, isOver ? 200 : null, isOver ? '{}' : null],
    )
  }
  await db.query(
    `UPDATE batches SET state = $1, attempt = 1, worker = 'dead', lease_until = 1, total = 2, in_progress_at = 1,
      ending = CASE WHEN $1 = 'finalizing' THEN 'completed' END,
      output_file = CASE WHEN $1 = 'finalizing' THEN '11111111-1111-4111-8111-111111111111' END,
      error_file = CASE WHEN $1 = 'finalizing' THEN '22222222-2222-4222-8222-222222222222' END`,
    [state],
  )
}

function clientOf({ url }: { url: string }): OpenAI {
  return new OpenAI({ apiKey: API_KEY, baseURL: `${url}/v3`, maxRetries: 0 })
}

function contentOf(body: unknown): string {
  const { messages } = body as { messages: { content: string }[] }
  return messages[0]!.content
}
