import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startSwallowingProvider } from '../fakes/swallowing-provider.ts'
import { sample } from '../soak/sample.ts'
import { startProcess, temporaryFolder } from '../gateway/gateway-process.ts'
import { API_KEY } from '../gateway/gateway-under-test.ts'
import { peakMbWhile, residentBoundMb, residentMb } from '../gateway/resident-memory.ts'
import { MB } from '../../src/base/units/units.ts'

// Many large bodies at once, to a process whose heap is far too small for all of them together.

const AT_ONCE = sample(12, 24)
const BODY_BYTES = sample(3, 24) * MB
const PAUSE_MS = 300
const HEAP_MB = sample(112, 400)

const BODIES: Record<string, Uint8Array<ArrayBuffer>> = {
  'one long text': bodyWith(`"${'x'.repeat(BODY_BYTES)}"`),
  'a text of two bytes a character': bodyWith(`"😀${'x'.repeat(BODY_BYTES)}"`),
  'many texts': bodyWith(
    `[${`{"type":"text","text":"${'x'.repeat(BODY_BYTES / 20_000)}"},`.repeat(19_999)}{"type":"text","text":"x"}]`,
  ),
}

const fake = await startSwallowingProvider()
const folder = await temporaryFolder()
const gateway = await startProcess({
  DATA_DIR: folder.data,
  GATEHOUSE_API_KEY: API_KEY,
  NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`,
  OPENAI_API_KEY: 'sk-test-0123456789',
  OPENAI_BASE_URL: fake.url,
})
const idleMb = await residentMb(gateway.child.pid!)
const boundMb = residentBoundMb(HEAP_MB, { idleMb, requests: AT_ONCE })
after(async () => {
  await gateway.stop()
  await fake.close()
  await folder.remove()
})

/** The two that take most memory. `npm run soak` has them all. */
for (const [name, body] of Object.entries(BODIES).slice(-sample(2, 3))) {
  test(`${AT_ONCE} bodies of ${BODY_BYTES / MB} MB at once, ${name}: all are answered, in less than ${boundMb} MB`, async (t) => {
    fake.requests.length = 0
    const peak = await peakMbWhile(gateway, async () => {
      await Promise.all(Array.from({ length: AT_ONCE }, () => chatUntilAnswered(body)))
    })
    t.diagnostic(`idle ${idleMb} MB, at most ${peak} MB`)
    assert.equal(fake.requests.length, AT_ONCE)
    assert.ok(peak < boundMb, `it took ${peak} MB`)
    const metrics = await (await fetch(`${gateway.adminUrl}/metrics`)).text()
    assert.match(metrics, /^gatehouse_bytes_in_flight\{[^}]*\} 0$/m)
  })
}

function bodyWith(content: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`{"model":"openai/gpt-4o","messages":[{"role":"user","content":${content}}]}`)
}

/** On a busy machine, some requests are refused. They are sent again after a pause, because sending them is work, too. */
async function chatUntilAnswered(body: Uint8Array<ArrayBuffer>): Promise<void> {
  for (;;) {
    const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
    const response = await fetch(`${gateway.url}/v3/chat/completions`, { method: 'POST', headers, body })
    const text = await response.text()
    if (response.status === 200) return
    assert.equal(response.status, 503, text)
    assert.ok(Number(response.headers.get('retry-after')) > 0)
    await sleep(PAUSE_MS)
  }
}
