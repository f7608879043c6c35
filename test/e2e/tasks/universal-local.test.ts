import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { chatClient } from '../../gateway/chat-client.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { type TaskClient, taskClient } from '../../gateway/task-client.ts'

describe('tasks that the gateway’s own engines do', () => {
  let gateway: GatewayUnderTest
  let client: TaskClient
  before(async () => {
    gateway = await startGateway()
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
      model: 'text/question_answer/unknown',
      input: { texts: [], question: '' },
    })
    assert.equal(status, 404)
    assert.doesNotMatch(body.error.message, /local\/<model>/)
  })
})
