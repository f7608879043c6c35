import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, beforeEach, test } from 'node:test'
import { pdfSaying } from '../../../src/translation/engines/fixtures/pdf-saying.ts'
import { MemoryBudget } from '../../../src/calls/memory-budget.ts'
import { failure, status } from '../../fakes/behaviours.ts'
import { bedrockRefusal } from '../../fakes/polyglot/bedrock-signature.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { chatClient } from '../../gateway/chat-client.ts'
import { startGateway } from '../../gateway/gateway-under-test.ts'
import { taskClient } from '../../gateway/task-client.ts'

// Files of a chat that are too long for memory: they are read from the disk while they are sent, as often as necessary.

const NAMES = ['OPENAI', 'ANTHROPIC', 'GEMINI', 'COHERE', 'BEDROCK']
const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI' }
/** A readable PDF with many bytes after its end. */
const LETTER = Buffer.concat([pdfSaying(['Dear reader']), Buffer.from('\n%'), randomBytes(300_000)])
const BASE64 = LETTER.toString('base64')
const TEXT = `line of words é\n`.repeat(20_000)

const budget = new MemoryBudget({ capacity: 100_000_000 })
const fake: FakeProvider = await startFakeProvider({ everyPath: true })
const gateway = await startGateway({
  env: {
    ...Object.fromEntries(NAMES.map((name) => [`${name}_BASE_URL`, fake.url])),
    ...Object.fromEntries(NAMES.slice(0, 4).map((name) => [`${name}_API_KEY`, 'sk-test-0123456789'])),
    AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
  },
  overrides: { memory: budget },
})
const client = taskClient(gateway.url)
const chat = chatClient(gateway.url)
const letter = (await client.store(LETTER, 'letter.pdf')).file_id
const text = (await client.store(TEXT, 'words.txt')).file_id
after(async () => {
  await gateway.close()
  await fake.close()
})
beforeEach(() => fake.reset())

const ask = (model: string, file_id = letter, more: object = {}) => {
  return chat.whole({ model, messages: [{ role: 'user', content: [{ type: 'file', file: { file_id } }] }], ...more })
}
const times = (sent: string, words: string) => sent.split(words).length - 1

test('the very bytes reach every wire, and a signature is one of all of them', async () => {
  for (const model of [
    'openai/gpt-4o',
    'anthropic/claude-sonnet-4-5',
    'google/gemini-2.5-flash',
    'amazon/anthropic.claude-3-5-sonnet-20241022-v2:0',
  ]) {
    fake.next(status(400, {}))
    await ask(model)
    const seen = fake.requests.at(-1)!
    assert.equal(times(seen.text, BASE64), 1, model)
    assert.ok(seen.body, `${model}: it is JSON`)
    assert.doesNotMatch(seen.text, /gatehousefile/)
    if (model.startsWith('amazon/'))
      assert.equal(bedrockRefusal(seen, { ...KEYS, region: 'us-east-1' } as never, new Date()), undefined)
  }
})

test('a fallback, several answers and a stream read it anew', async () => {
  fake.next(failure(500))
  assert.equal((await ask('openai/gpt-4o', letter, { fallbacks: ['openai/gpt-4.1'] })).status, 200)
  fake.next(status(400, {}))
  fake.next(status(400, {}))
  await ask('anthropic/claude-sonnet-4-5', letter, { n: 2 })
  const streamed = await chat.post({
    model: 'openai/gpt-4o',
    stream: true,
    messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: letter } }] }],
  })
  await streamed.text()
  assert.deepEqual(
    fake.requests.map(({ text }) => times(text, BASE64)),
    [1, 1, 1, 1, 1],
  )
})

test('hooks and models that take no files get the text of it', async () => {
  const extract = { pre_hooks: [{ action: 'pdf_text_extract' }] }
  for (const reply of [await ask('openai/gpt-4o', letter, extract), await ask('openai/gpt-4')]) {
    assert.equal(reply.status, 200, reply.text)
    const sent = fake.requests.at(-1)!.text
    assert.match(sent, /Dear reader/)
    assert.equal(times(sent, BASE64), 0)
  }
})

test('a text is sent as text where the wire wants one, and in base64 elsewhere', async () => {
  for (const model of ['anthropic/claude-sonnet-4-5', 'cohere/command-a-03-2025']) {
    fake.next(status(400, {}))
    await ask(model, text)
    assert.equal(times(fake.requests.at(-1)!.text, JSON.stringify(TEXT).slice(1, -1)), 1, model)
  }
  await ask('openai/gpt-4o', text)
  assert.equal(times(fake.requests.at(-1)!.text, Buffer.from(TEXT).toString('base64')), 1)
})

test('text that looks like a mark stays text, and a sandbox model is called like any other', async () => {
  const words = `${BASE64.slice(0, 64)}gatehousefile${'0'.repeat(32)}000000000000400`
  const content = [
    { type: 'text', text: words },
    { type: 'file', file: { file_id: letter } },
  ]
  const { status } = await chat.whole({ model: 'openai/gpt-4o', messages: [{ role: 'user', content }] })
  assert.equal(status, 200)
  assert.equal(times(fake.requests.at(-1)!.text, words), 1)
  assert.equal((await ask('sandbox/echo')).status, 200)
})

test('nothing of it is held afterwards', async () => {
  assert.equal((await ask('openai/gpt-4o')).status, 200)
  while (budget.held > 0) await new Promise(setImmediate)
  assert.equal(budget.held, 0)
})
