import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { png } from '../../src/base/sniff/fixtures/small-files.ts'
import { startSwallowingProvider } from '../fakes/swallowing-provider.ts'
import { sample } from '../soak/sample.ts'
import { startProcess, temporaryFolder } from '../gateway/gateway-process.ts'
import { API_KEY } from '../gateway/gateway-under-test.ts'
import { peakMbWhile, residentMb, sendingBoundMb } from '../gateway/resident-memory.ts'
import { taskClient } from '../gateway/task-client.ts'
import { MB } from '../../src/base/units/units.ts'

// Small requests that refer to one large file, to a process whose heap is far too small for all the copies together.

const FILE_BYTES = sample(8, 95) * MB
const HEAP_MB = sample(112, 256)

const DOCUMENT = Buffer.concat([Buffer.from('%PDF-1.4\n'), randomBytes(FILE_BYTES - 9)])
const IMAGE = Buffer.concat([png(1024, 1024), randomBytes(FILE_BYTES)])
const MANY = sample(10, 18)
const SOME = sample(2, 18)
const WIRES: Record<string, { model: string; file: 'document' | 'picture'; atOnce: number }> = {
  openai: { model: 'openai/gpt-4o', file: 'document', atOnce: MANY },
  anthropic: { model: 'anthropic/claude-sonnet-4-5', file: 'document', atOnce: SOME },
  gemini: { model: 'google/gemini-2.5-flash', file: 'document', atOnce: SOME },
  bedrock: { model: 'amazon/anthropic.claude-3-5-sonnet-20241022-v2:0', file: 'document', atOnce: SOME },
  cohere: { model: 'cohere/command-a-vision-07-2025', file: 'picture', atOnce: SOME },
}

const fake = await startSwallowingProvider()
const folder = await temporaryFolder()
const gateway = await startProcess({
  DATA_DIR: folder.data,
  GATEHOUSE_API_KEY: API_KEY,
  NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`,
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI',
  ...Object.fromEntries(
    ['OPENAI', 'ANTHROPIC', 'GEMINI', 'COHERE'].flatMap((name) => [
      [`${name}_API_KEY`, 'sk-test-0123456789'],
      [`${name}_BASE_URL`, fake.url],
    ]),
  ),
  BEDROCK_BASE_URL: fake.url,
})
after(async () => {
  await gateway.stop()
  await fake.close()
  await folder.remove()
})

test(`${MANY} chats that name one file of ${FILE_BYTES / MB} MB, over every wire, take what is documented for sending`, async (t) => {
  const client = taskClient(gateway.url)
  const ids = {
    document: (await client.store(DOCUMENT, 'a.pdf')).file_id,
    picture: (await client.store(IMAGE, 'a.png')).file_id,
  }
  const idleMb = await residentMb(gateway.child.pid!)
  for (const [wire, { model, file, atOnce }] of Object.entries(WIRES)) {
    fake.requests.length = 0
    const request = { model, messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: ids[file] } }] }] }
    const peak = await peakMbWhile(gateway, async () => {
      const replies = await Promise.all(
        Array.from({ length: atOnce }, () => client.post('/v3/chat/completions', request)),
      )
      for (const { status, text } of replies) assert.equal(status, 200, `${wire}: ${text}`)
    })
    const bound = sendingBoundMb({ idleMb, requests: atOnce })
    t.diagnostic(`${wire}: idle ${idleMb} MB, at most ${peak} MB`)
    assert.ok(peak < bound, `${wire}: it took ${peak} MB, of at most ${bound} MB`)
    assert.equal(fake.requests.length, atOnce)
    const [first] = fake.requests
    const base64 = Math.ceil((file === 'document' ? DOCUMENT : IMAGE).length / 3) * 4
    for (const { bytes, sha256 } of fake.requests) {
      assert.ok(bytes > base64 && bytes < base64 + 1_000, `${wire}: ${bytes} bytes`)
      assert.equal(sha256, first!.sha256, wire)
    }
    if (wire === 'openai') assert.equal(first!.sha256, sha256Of(openaiBody()))
  }
  assert.equal(await bytesInFlight(), 0)
})

function openaiBody(): string {
  const file_data = `data:application/pdf;base64,${DOCUMENT.toString('base64')}`
  const content = [{ type: 'file', file: { filename: 'a.pdf', file_data } }]
  return JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content }] })
}

function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

async function bytesInFlight(): Promise<number> {
  const metrics = await (await fetch(`${gateway.adminUrl}/metrics`)).text()
  return Number(/^gatehouse_bytes_in_flight\{[^}]*\} (\d+)$/m.exec(metrics)![1])
}
