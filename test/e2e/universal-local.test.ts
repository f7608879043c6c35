import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { chatClient } from './chat-client.ts'
import { blocksOf, pasted } from './document-blocks.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from './gateway-under-test.ts'
import { type TaskClient, taskClient } from './task-client.ts'
import { freePort } from '../../src/net/free-port.ts'

const QUICK_START = 'docs/quick-start.md'
const [start, , ...commands] = blocksOf(QUICK_START, 'sh')
const noShell = spawnSync('bash', ['-c', 'curl --version']).status !== 0 && 'bash and curl are not on this machine'

describe('tasks that the gateway’s own engines do', () => {
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
    const request = { model: 'text/spell_check/local', input: { text: 'Guten Tag', language: 'de' } }
    const alone = await client.run(request)
    assert.deepEqual([alone.status, alone.body.error.code], [422, 'unsupported_language'])
    const { status, body } = await client.run({ ...request, fallbacks: ['sandbox'] })
    assert.deepEqual([status, body.provider], [200, 'sandbox'])
  })

  test('do all that the quick start says, by its own commands, with the answers that it shows, off the event loop', {
    skip: noShell,
  }, async () => {
    const RECEIVER = `http://127.0.0.1:${await freePort('127.0.0.1', 0)}`
    const env = { API: `${gateway.url}/v3`, RECEIVER, GATEHOUSE_API_KEY: API_KEY }
    const [own, all] = [process.threadCpuUsage(), process.cpuUsage()]
    const { code, output } = await pasted(commands.join(''), env)
    assert.equal(output, blocksOf(QUICK_START, 'json').join(''))
    assert.equal(code, 0)
    // OCR is more work than all the rest, so if the event loop had done any of it, it would have used most of the CPU.
    assert.ok(sum(process.threadCpuUsage(own)) < sum(process.cpuUsage(all)) / 2)
  })

  test('find names and addresses for the hook that hides them: before the call, after it, and in a stream', async () => {
    const chat = chatClient(gateway.url)
    const hooks = [{ action: 'redact_pii', params: { kinds: ['email', 'address', 'name'] } }]
    const content = 'Dear Angela Merkel, mail anna@example.org or come to 221B Baker Street, London NW1 6XE.'
    const hidden = 'Dear [NAME_1], mail [EMAIL_1] or come to [ADDRESS_1].'
    const request = { model: 'sandbox/echo', messages: [{ role: 'user', content }] }
    for (const where of ['pre_hooks', 'post_hooks']) {
      const { completion } = await chat.whole({ ...request, [where]: hooks })
      assert.equal(completion.choices[0]!.message.content, hidden, where)
    }
    const { chunks, done } = await chat.stream({ ...request, post_hooks: hooks })
    assert.equal(chunks.map(({ choices }) => choices[0]?.delta?.content ?? '').join(''), hidden)
    assert.equal(done, 1)
    const long = { ...request, messages: [{ role: 'user', content: 'a '.repeat(250_001) }], pre_hooks: hooks }
    const { status, failure } = await chat.whole(long)
    assert.deepEqual([status, failure.error.param], [422, 'pre_hooks.0'])
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

function sum({ user, system }: { user: number; system: number }): number {
  return user + system
}

/** The settings in the command that starts the gateway. */
function settingsOf(command: string): Record<string, string> {
  const settings = Array.from(command.matchAll(/([A-Z_]+)=(\S+)/g), ([, name, value]) => [name!, value!])
  assert.ok(settings.length > 0)
  return Object.fromEntries(settings)
}
