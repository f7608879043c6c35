import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stream } from '../../fakes/stream.ts'
import { sample } from '../../soak/sample.ts'
import { HELLO } from '../../gateway/chat-client.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { gatewayForAll } from '../../gateway/gateway-with-fakes.ts'
import { MB } from '../../../src/base/units/units.ts'

// Formats that repeat the whole answer at the end keep it until then, up to a limit. The error occurs while chunks are
// being written, when the provider has done nothing wrong. The ledger line has to record it all the same. That every format has
// the limit is in formats.test.ts.

const { openai, gateway } = await gatewayForAll()

const TOO_LONG = Array.from({ length: 24 }, (_, at) => ({
  id: 'x',
  choices: [{ index: 0, delta: { content: 'x'.repeat(MB) }, finish_reason: at === 23 ? 'stop' : null }],
}))

const FORMATS = {
  '/v3/responses': { model: 'openai/gpt-4o-mini', input: 'Hello', stream: true },
  '/v3/v1/messages': { model: 'openai/gpt-4o-mini', max_tokens: 9, stream: true, ...HELLO },
}

for (const [path, body] of Object.entries(FORMATS).slice(0, sample(1, 2))) {
  test(`${path}: a stream that is too long for the format is not written down as a success`, async () => {
    openai.next(stream(TOO_LONG))
    const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
    const response = await fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    assert.match(await response.text(), /too long for this format/)
    const { ledger, db } = gateway.gateway.services.calls
    await ledger.flush()
    const sql = 'SELECT status, code FROM usage WHERE id = $1'
    const lines = await db.query<{ status: number; code: string }>(sql, [response.headers.get('x-request-id')!])
    assert.deepEqual(
      lines.map((line) => ({ ...line })),
      [{ status: 502, code: 'upstream_error' }],
    )
  })
}
