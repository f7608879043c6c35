import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { pdfSaying } from '../../src/engines/fixtures/pdf-saying.ts'
import { QR_CODE } from '../../src/engines/fixtures/pictures.ts'
import { blocksOf, pasted } from './document-blocks.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from './gateway-under-test.ts'
import { type TaskClient, taskClient } from './task-client.ts'

const PAGE = new URL('../../docs/scanned-page.png', import.meta.url)
const QUICK_START = 'docs/quick-start.md'
const [start, , ...commands] = blocksOf(QUICK_START, 'sh')
const noShell = spawnSync('bash', ['-c', 'curl --version']).status !== 0 && 'bash and curl are not on this machine'

describe('tasks done by the engines of the house', () => {
  let gateway: GatewayUnderTest
  let client: TaskClient
  before(async () => {
    gateway = await startGateway({ env: settingsOf(start!) })
    client = taskClient(gateway.url)
  })
  after(() => gateway?.close())

  test('need no account, cost nothing and say what they went by', async () => {
    const model = 'text/moderation/local'
    const { status, body, text } = await client.run({ model, input: { text: 'shit' }, show_original_response: true })
    assert.equal(status, 200, text)
    assert.deepEqual([body.provider, body.cost], ['local', 0])
    const { covers, matches } = body.original_response as { covers: string[]; matches: unknown[] }
    assert.deepEqual([covers, matches], [['profanity'], [{ start: 0, end: 4, label: 'shit' }]])
  })

  test('leave to a fallback what they cannot read, and say so where there is none', async () => {
    const asked = { model: 'text/spell_check/local', input: { text: 'Guten Tag', language: 'de' } }
    const alone = await client.run(asked)
    assert.deepEqual([alone.status, alone.body.error.code], [422, 'unsupported_language'])
    const { status, body } = await client.run({ ...asked, fallbacks: ['sandbox'] })
    assert.deepEqual([status, body.provider], [200, 'sandbox'])
  })

  test('read files that were sent here, now or as a job', async () => {
    const { file_id: code } = await client.store(QR_CODE, 'code.png')
    const { body } = await client.run({ model: 'image/barcode_detection/local', input: { file: code } })
    const [found] = (body.output as { items: { value: string }[] }).items
    assert.deepEqual([body.cost, found?.value], [0, 'https://example.com/gate'])
    const { file_id: letter } = await client.store(pdfSaying(['Dear reader']), 'letter.pdf')
    const submitted = await client.submit({ model: 'ocr/ocr_async/local', input: { file: letter } })
    const { status, output } = await client.ended(submitted.body.public_id)
    assert.deepEqual([status, (output as { raw_text: string }).raw_text], ['success', 'Dear reader'])
  })

  test('do all that the quick start says, by its own commands, with the answers that it shows', {
    skip: noShell,
  }, async () => {
    const RECEIVER = `http://127.0.0.1:${await freePort()}`
    const env = { API: `${gateway.url}/v3`, RECEIVER, GATEHOUSE_API_KEY: API_KEY }
    const { code, output } = await pasted(commands.join(''), env)
    assert.equal(output, blocksOf(QUICK_START, 'json').join(''))
    assert.equal(code, 0)
  })

  test('leave the event loop to others: a gateway that reads a page answers all the while', async () => {
    const { file_id: file } = await client.store(readFileSync(PAGE), 'page.png')
    let isRead = false
    const reading = client.run({ model: 'ocr/ocr/local', input: { file } }).finally(() => {
      isRead = true
    })
    let answered = 0
    for (; !isRead; answered++) assert.equal((await client.get('/health/live')).status, 200)
    assert.equal((await reading).status, 200)
    // Before the engine has the page a few may be answered; on the loop it would let nobody else in.
    assert.ok(answered > 20, `${answered} answers while it read`)
  })

  test('are not taken for chat models', async () => {
    const { status, body } = await client.run({
      model: 'text/question_answer/nobody',
      input: { texts: [], question: '' },
    })
    assert.equal(status, 404)
    assert.doesNotMatch(body.error.message, /local\/<model>/)
  })
})

/** What the line that starts the gateway sets. */
function settingsOf(command: string): Record<string, string> {
  const settings = Array.from(command.matchAll(/([A-Z_]+)=(\S+)/g), ([, name, value]) => [name!, value!])
  assert.ok(settings.length > 0)
  return Object.fromEntries(settings)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
