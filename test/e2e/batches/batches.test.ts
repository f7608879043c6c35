import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { OpenAI, toFile } from 'openai'
import { adminClient, type AdminClient } from '../../gateway/admin-client.ts'
import { batchClient, chatLine, type Line } from '../../gateway/batch-client.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { type GatewayWithFakes, startGatewayWithFakes } from '../../gateway/gateway-with-fakes.ts'

const NO_MODEL = { custom_id: 'bad', method: 'POST', url: '/v1/chat/completions', body: { messages: [] } }

describe('batches, by the official client of OpenAI', () => {
  let fakes: GatewayWithFakes
  let admin: AdminClient
  let client: OpenAI
  before(async () => {
    fakes = await startGatewayWithFakes({ jobGraceMs: 0, batchTiming: { pollMs: 20, heartbeatMs: 50 } })
    const { url, adminUrl } = fakes.gateway
    admin = adminClient(adminUrl)
    client = new OpenAI({ apiKey: API_KEY, baseURL: `${url}/v3`, maxRetries: 0 })
  })
  after(() => fakes?.close())

  const run = (lines: readonly (Line | string)[], options = {}) => batchClient(client).run(lines, options)

  test('the example of its documentation', async () => {
    const batch = await run([chatLine('one', 'Hello!'), chatLine('two', 'Good bye!')])
    assert.deepEqual([batch.status, batch.errors, batch.error_file_id], ['completed', null, undefined])
    assert.deepEqual(batch.request_counts, { total: 2, completed: 2, failed: 0 })
    assert.deepEqual(
      [batch.endpoint, batch.completion_window, batch.metadata],
      ['/v3/chat/completions', '24h', { by: 'a test' }],
    )
    const answers = await batchClient(client).lines(batch.output_file_id!)
    assert.deepEqual(
      answers.map(({ custom_id, response, error }) => [
        custom_id,
        response?.status_code,
        response?.body.choices?.[0]?.message.content,
        error,
      ]),
      [
        ['one', 200, 'Hello!', null],
        ['two', 200, 'Good bye!', null],
      ],
    )
    assert.equal(new Set(answers.map(({ id }) => id)).size, 2)
    const listed = await client.batches.list({ limit: 1 })
    assert.deepEqual(
      listed.data.map(({ id }) => id),
      [batch.id],
    )
    const { items } = await admin.get(`/admin/requests?batch=${uuidIn(batch.id)}`)
    assert.deepEqual(
      items.map(({ id, batch, tier, status }: Record<string, unknown>) => [id, batch, tier, status]).sort(),
      answers.map(({ response }) => [response!.request_id, uuidIn(listed.data[0]!.id), null, 200]).sort(),
    )
  })
})

function uuidIn(id: string): string {
  return id.replace(/^batch_(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
void NO_MODEL
void toFile
