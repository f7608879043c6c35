import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { OpenAI } from 'openai'
import { openDatabase } from '../../../src/platform/store/open-database.ts'
import { silence } from '../../fakes/behaviours.ts'
import { startMcpServer } from '../../fakes/mcp-server.ts'
import { startFakeProvider } from '../../fakes/provider.ts'
import { toolCaller } from '../../fakes/tool-caller.ts'
import { batchClient, chatLine } from '../../gateway/batch-client.ts'
import { clientOf, outputText, uuidOf } from '../../gateway/background-client.ts'
import { collect } from '../../gateway/collect.ts'
import { startProcess, temporaryFolder } from '../../gateway/gateway-process.ts'
import { ADMIN_KEY, API_KEY, startGateway } from '../../gateway/gateway-under-test.ts'

// Responses in the background and lines of batches whose process is killed, and tools that may have effects.

type Response = OpenAI.Responses.Response

const LOOK_AGAIN_MS = 10
const MODEL = 'fake/priced'
const CLOSES = toolCaller([{ calls: [['tickets__slow', {}]] }, { text: 'Done.' }])
const COUNTS = toolCaller([{ calls: [['tickets__count', {}]] }, { text: 'There are 42.' }])

for (const stream of [false, true])
  test(`a tool that was approved and called before a kill is not called again, stream: ${stream}`, async (t) => {
    const scene = await openScene(t)
    const { model, server, first } = scene
    model.always(CLOSES)
    const asking = { model: MODEL, tools: [tickets('always')] }
    const { id: before, output } = await clientOf(first).responses.create({ ...asking, input: 'Close it.' })
    const request = output.find(({ type }) => type === 'mcp_approval_request')!
    const approval = { type: 'mcp_approval_response', approval_request_id: request.id!, approve: true } as const
    const asked = { ...asking, previous_response_id: before, input: [approval], background: true, stream }
    // A stream has its first event when the tool has answered, and ends with the process.
    const asks = clientOf(first)
      .responses.create(asked)
      .catch(() => undefined)
    while (server.calls().length === 0) await sleep(LOOK_AGAIN_MS)
    model.reset()
    const { second, db } = await scene.killAndRestart()
    const id = await responseIn(db)
    await asks
    const response = await endOf(second, id)
    assert.equal(response.status, 'failed')
    assert.equal(response.error?.code, 'interrupted')
    assert.match(response.error!.message, /had called tools by then \(mcp\/tickets\/slow\).* not called again/)
    assert.deepEqual([server.calls(), model.requests.length], [['slow({})'], 0])
    if (stream) {
      const events = await clientOf(second).responses.retrieve(id, { stream: true })
      await assert.rejects(collect(events), { code: 'interrupted' })
    }
    await second.gateway.services.calls.ledger.flush()
    const lines = await db.query<{ code: string; cost: number | bigint }>(
      'SELECT code, cost_nanos AS cost FROM usage WHERE id = $1',
      [uuidOf(id)],
    )
    assert.deepEqual(
      lines.map(({ code, cost }) => [code, Number(cost)]),
      [['interrupted', 0]],
    )
  })

test('a response that had called no tool when its process was killed is made again', async (t) => {
  const scene = await openScene(t)
  const { model, server, first } = scene
  model.always(silence())
  const asked = { model: MODEL, tools: [tickets('never')], input: 'How many?', background: true }
  await clientOf(first).responses.create(asked)
  await model.request(0)
  const { second, db } = await scene.killAndRestart(() => model.always(COUNTS))
  const response = await endOf(second, await responseIn(db))
  assert.deepEqual([response.status, outputText(response)], ['completed', 'There are 42.'])
  assert.deepEqual(server.calls(), ['count({})'])
})

test('a line of a batch that had called a tool when its process was killed is not asked again, and others are', async (t) => {
  const scene = await openScene(t)
  const { model, server, first } = scene
  model.always((request, response) => {
    const isSlow = JSON.stringify(request.body).includes('Close it.')
    return isSlow ? CLOSES(request, response) : silence()(request, response)
  })
  const lines = ['Close it.', 'How many?'].map((content) => {
    const { body, ...line } = chatLine(content, content, MODEL)
    return { ...line, body: { ...(body as object), tools: [tickets('never')] } }
  })
  const { id } = await batchClient(clientOf(first)).create(lines)
  while (server.calls().length === 0) await sleep(LOOK_AGAIN_MS)
  model.reset()
  const { second } = await scene.killAndRestart(() => model.always(COUNTS))
  const { error_file_id, output_file_id } = await batchClient(clientOf(second)).ended(id)
  const [failed] = await batchClient(clientOf(second)).lines(error_file_id!)
  assert.deepEqual([failed!.custom_id, failed!.error?.code], ['Close it.', 'interrupted'])
  assert.match(failed!.error!.message, /had called tools by then \(mcp\/tickets\/slow\)/)
  const [answered] = await batchClient(clientOf(second)).lines(output_file_id!)
  assert.equal(answered!.response!.body.choices![0]!.message.content, 'There are 42.')
  assert.deepEqual(server.calls(), ['slow({})', 'count({})'])
})

type Context = { after(done: () => Promise<void>): void }
type Gateway = { url: string }

/** A process with a model and the MCP server `tickets` behind it, and another one that takes over when it is killed. */
async function openScene(t: Context) {
  const closing = new AsyncDisposableStack()
  t.after(() => closing.disposeAsync())
  const folder = await temporaryFolder()
  closing.defer(folder.remove)
  const [model, server] = [await startFakeProvider(), await startMcpServer('modern')]
  closing.defer(model.close)
  closing.defer(server.close)
  const config = join(folder.path, 'config.json')
  const models = [{ id: 'priced', price: { input: 1, output: 2 } }]
  const providers = { fake: { dialect: 'openai', baseUrl: model.url, models } }
  const servers = { tickets: { url: server.url, pricePerCall: 0.01 } }
  await writeFile(config, JSON.stringify({ providers, mcp: { servers } }))
  const keys = { GATEHOUSE_API_KEY: API_KEY, GATEHOUSE_ADMIN_KEY: ADMIN_KEY }
  const env = { DATA_DIR: folder.path, GATEHOUSE_CONFIG: config, ALLOW_NETWORKS: '127.0.0.0/8', ...keys }
  const first = await startProcess(env)
  closing.defer(() => void first.child.kill('SIGKILL'))
  const killAndRestart = async (between = () => {}) => {
    first.child.kill('SIGKILL')
    await first.ended
    const db = await openDatabase({ dataDir: folder.path })
    closing.defer(db.close)
    await db.query("UPDATE jobs SET lease_until = 1 WHERE state = 'running'")
    await db.query('UPDATE batches SET lease_until = 1 WHERE ended_at IS NULL')
    between()
    const second = await startGateway({ env, dataDir: folder.path, overrides: { batchTiming: { pollMs: 20 } } })
    closing.defer(second.close)
    return { second, db }
  }
  return { model, server, first, killAndRestart }
}

function tickets(require_approval: 'always' | 'never'): OpenAI.Responses.Tool.Mcp {
  return { type: 'mcp', server_label: 'tickets', require_approval }
}

/** The only one in the background. */
async function responseIn(db: Awaited<ReturnType<typeof openDatabase>>): Promise<string> {
  const [job] = await db.query<{ id: string }>('SELECT id FROM jobs')
  return `resp_${job!.id.replaceAll('-', '')}`
}

async function endOf(gateway: Gateway, id: string): Promise<Response> {
  for (;;) {
    const response = await clientOf(gateway).responses.retrieve(id)
    if (response.status !== 'queued' && response.status !== 'in_progress') return response
    await sleep(LOOK_AGAIN_MS)
  }
}
