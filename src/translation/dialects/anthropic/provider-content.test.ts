import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatRequest, Message } from '../../../contract/chat.ts'
import type { ReplyMessage } from '../../../contract/chat-reply.ts'
import { messagesOf } from '../../../../test/fakes/fold-chunks.ts'
import type { Fields } from '../../../base/schema/record.ts'
import { DIALECTS } from '../index.ts'
import { eventsOf, SERVER_TOOL_ANSWERS } from './fixtures/server-tools.ts'
import { anthropic } from './index.ts'

const TARGET = { baseUrl: 'https://provider.test/v1', model: 'm', traits: { thinking: { by: 'adaptive' as const } } }
const QUESTION: Message = { role: 'user', content: 'What is it?' }
const CODE = { type: 'code_execution_20250825', name: 'code_execution' }

for (const { name, message } of SERVER_TOOL_ANSWERS) {
  describe(name, () => {
    const whole = anthropic.chat.decode(JSON.stringify(message)).choices[0]!.message
    const decoder = anthropic.chat.decoder({ model: 'm', messages: [] })
    const chunks = eventsOf(message).flatMap((event) => decoder.feed({ data: JSON.stringify(event) }))
    const [streamed] = messagesOf(chunks)

    test('every block is carried, and the stream carries the same', () => {
      const carried = (whole.provider_content?.blocks ?? []) as Fields[]
      for (const block of message.content)
        if (block.type !== 'text' && block.type !== 'thinking' && block.type !== 'tool_use')
          assert.ok(
            carried.some((one) => JSON.stringify(one) === JSON.stringify(block)),
            String(block.type),
          )
      assert.deepEqual((streamed as ReplyMessage).provider_content, whole.provider_content)
      assert.deepEqual(whole.provider_content?.container, message.container)
    })

    test('the blocks go back in their order, with the text between them', () => {
      for (const one of [whole, streamed as ReplyMessage]) {
        const { body, notes } = sent({ messages: conversation(one), reasoning_effort: 'high' })
        const [, assistant] = body.messages as { content: Fields[] }[]
        assert.deepEqual(assistant!.content.map(comparable), message.content.map(comparable))
        assert.deepEqual(notes, [])
      }
    })

    test('other makers do not get them, and say so', () => {
      for (const dialect of ['openai', 'gemini', 'bedrock', 'cohere'] as const) {
        const { wire, notes } = DIALECTS[dialect].chat.encode({ request: request(conversation(whole)) }, TARGET)
        assert.ok(!String(wire.body).includes('srvtoolu'), dialect)
        assert.ok(
          notes.some(({ field, action }) => field === 'messages.provider_content' && action === 'dropped'),
          dialect,
        )
      }
    })
  })
}

describe('a container', () => {
  const [, { message } = { message: { content: [] } }] = SERVER_TOOL_ANSWERS
  const reply = anthropic.chat.decode(JSON.stringify(message)).choices[0]!.message

  test('is used again by the next request', () => {
    assert.equal(sent({ messages: conversation(reply), tools: [CODE] }).body.container, 'container_01')
  })

  test('is used again together with the skills that the caller names', () => {
    const skills = [{ type: 'anthropic', skill_id: 'pptx', version: 'latest' }]
    const { body } = sent({
      messages: conversation(reply),
      tools: [CODE],
      container: { skills },
    } as Partial<ChatRequest>)
    assert.deepEqual(body.container, { id: 'container_01', skills })
  })

  test('is not named if no tool can use it', () => {
    assert.equal(sent({ messages: conversation(reply) }).body.container, undefined)
  })
})

describe('blocks that cannot go back as they were', () => {
  const [{ message } = { message: { content: [] } }] = SERVER_TOOL_ANSWERS
  const reply = anthropic.chat.decode(JSON.stringify(message)).choices[0]!.message

  test('a changed text: the text is sent, the blocks are noted', () => {
    const { body, notes } = sent({ messages: conversation({ ...reply, content: 'Short.' }) })
    assert.deepEqual((body.messages as Fields[])[1], { role: 'assistant', content: [{ type: 'text', text: 'Short.' }] })
    assert.match(notes[0]!.reason, /changed/)
  })

  test('too large: they are named, and the answer stays', () => {
    const large = { type: 'web_fetch_tool_result', tool_use_id: 'srvtoolu_2', content: 'x'.repeat(9_000_000) }
    const content = [...message.content, large]
    const { message: carried } = anthropic.chat.decode(JSON.stringify({ ...message, content })).choices[0]!
    assert.deepEqual(carried.provider_content?.omitted, [{ type: 'web_fetch_tool_result', reason: 'too large' }])
    assert.equal(carried.content, reply.content)
    assert.match(sent({ messages: conversation(carried) }).notes[0]!.reason, /not carried/)
  })

  test('nonsense of a caller is ignored', () => {
    for (const provider_content of [
      7,
      [],
      { type: 'anthropic' },
      { type: 'anthropic', blocks: [1, {}, { type: 'text' }] },
    ]) {
      const messages = [QUESTION, { role: 'assistant', content: 'Hi', provider_content } as Message, QUESTION]
      assert.ok(sent({ messages }).body.messages)
    }
  })
})

test('a paused turn is sent back as it is, although the model does not continue its own text', () => {
  const content = [{ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } }]
  const paused = { type: 'message', role: 'assistant', content, stop_reason: 'pause_turn' }
  const { message } = anthropic.chat.decode(JSON.stringify(paused)).choices[0]!
  const request = { model: 'anthropic/m', messages: [QUESTION, message as Message] }
  const { wire } = anthropic.chat.encode({ request }, { ...TARGET, traits: { prefill: false } })
  assert.deepEqual(JSON.parse(String(wire.body)).messages.at(-1), { role: 'assistant', content })
})

test('an answer without such blocks has no such field', () => {
  const reply = { type: 'message', content: [{ type: 'text', text: 'Hi' }], container: null, stop_reason: 'end_turn' }
  assert.ok(!('provider_content' in anthropic.chat.decode(JSON.stringify(reply)).choices[0]!.message))
})

function conversation(reply: ReplyMessage): Message[] {
  const results = (reply.tool_calls ?? []).map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'ok' }))
  return [QUESTION, reply as Message, ...results, { role: 'user', content: 'And then?' }]
}

function request(messages: Message[]): ChatRequest {
  return { model: 'anthropic/m', messages }
}

function sent(fields: Partial<ChatRequest>) {
  const { wire, notes } = anthropic.chat.encode({ request: { ...request([]), ...fields } }, TARGET)
  return { body: JSON.parse(String(wire.body)) as Fields, notes }
}

/** A block without members that mean the same if they are absent. */
function comparable({ citations, caller, ...block }: Fields): Fields {
  const isDirect = (caller as Fields | undefined)?.type === 'direct' && block.type === 'tool_use'
  return { ...block, ...(citations != null && { citations }), ...(caller != null && !isDirect && { caller }) }
}
