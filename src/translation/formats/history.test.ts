import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { ChatCompletion } from '../../contract/chat-reply.ts'
import type { MessagesRequest } from '../../contract/messages.ts'
import { fromCompletion as toMessage } from './messages/from-completion.ts'
import { toChat as chatOfMessages } from './messages/to-chat.ts'
import { seal } from './sealed-reasoning.ts'
import { fromCompletion as toResponse } from './responses/response-object.ts'
import { toChat as chatOfResponses } from './responses/to-chat.ts'
import {
  type Fields,
  type AnswerContent,
  REQUEST,
  answers,
  SOMETHING,
  messageOf,
  completionOf,
} from './fixtures/answers.ts'

describe('an answer in a format comes back when it is sent as history', () => {
  test('holds for the messages format', () => {
    fc.assert(
      fc.property(answers, (said) => {
        const { content } = toMessage(completionOf(said))
        const body = { model: 'p/m', messages: [{ role: 'assistant', content }] } as MessagesRequest
        const { messages } = chatOfMessages(body, ['p'])
        assertHistory(messages[0], said)
      }),
    )
  })

  test('holds for the responses format', () => {
    fc.assert(
      fc.property(answers, (said) => {
        const { output } = toResponse(completionOf(said), REQUEST)
        const { request } = chatOfResponses({ model: 'p/m', input: output }, ['p'])
        assertHistory(request.messages[0], said)
      }),
    )
  })

  test('encoded reasoning goes back only to the provider that it came from', () => {
    const details = [{ type: 'google.thought', signature: 'xyz' }]
    const message = { role: 'assistant', content: 'Hi.', reasoning_content: 'Hm.', reasoning_details: details }
    const completion = { ...completionOf(SOMETHING), choices: [{ index: 0, message, finish_reason: 'stop' }] }
    const { content } = toMessage(completion as unknown as ChatCompletion)
    const { output } = toResponse(completion as unknown as ChatCompletion, REQUEST)
    const body = { model: 'p/m', messages: [{ role: 'assistant', content }] } as MessagesRequest
    for (const [providers, expected] of [
      [['p'], details],
      [['q'], undefined],
    ] as const) {
      const request = [
        chatOfMessages(body, providers).messages[0],
        chatOfResponses({ model: 'p/m', input: output }, providers).request.messages[0],
      ]
      for (const message of request) assert.deepEqual((message as Fields).reasoning_details, expected)
    }
  })

  test('reasoning that led to nothing does not move to the next answer', () => {
    const details = [{ type: 'anthropic.thinking', thinking: 'Hm.', signature: 'xyz' }]
    const reasoning = { type: 'reasoning', summary: [], encrypted_content: seal(details, 'p') }
    const input = [reasoning, { role: 'user', content: 'So?' }, { role: 'assistant', content: 'Yes.' }]
    const { messages } = chatOfResponses({ model: 'p/m', input }, ['p']).request
    assert.deepEqual(messages.at(-1), { role: 'assistant', content: 'Yes.' })
  })

  test('any input becomes a request or is refused, and never breaks', () => {
    const blocks = fc.record({
      type: fc.constantFrom('text', 'image', 'document', 'tool_result', 'x'),
      source: fc.anything(),
    })
    fc.assert(
      fc.property(fc.array(fc.oneof(blocks, fc.object())), (content) => {
        const body = { model: 'p/m', messages: [{ role: 'user', content }] } as unknown as MessagesRequest
        assert.ok(Array.isArray(chatOfMessages(body, []).messages))
        const { request } = chatOfResponses({ model: 'p/m', input: content as Fields[] }, [])
        assert.ok(Array.isArray(request.messages))
      }),
    )
  })
})

function assertHistory(message: unknown, { text, calls, thinking }: AnswerContent): void {
  if (!text && calls.length === 0) return assert.ok(message === undefined || (thinking && message))
  const { content, tool_calls } = message as Fields
  assert.equal(content ?? '', text)
  assert.deepEqual(tool_calls, messageOf({ text, calls, thinking }).tool_calls)
}
