import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Message } from '../../../contract/chat.ts'
import type { Target } from '../chat-codec.ts'
import { recordingOf } from './fixtures/recordings.ts'
import { decode } from './reply.ts'
import { OLD, NEW, call, encoded } from './fixtures/encoded.ts'

describe('signatures', () => {
  test('go back from where either convention keeps them', () => {
    for (const name of ['parallel-tools', 'thinking-with-tools']) {
      const { message } = decode(JSON.stringify(recordingOf(name).whole)).choices[0]!
      const { reasoning_details, ...callsOnly } = message as typeof message & { reasoning_details: unknown }
      const bare = {
        ...message,
        tool_calls: message.tool_calls!.map((made) => ({ ...made, extra_content: undefined })),
      }
      assert.ok(Array.isArray(reasoning_details))
      for (const kept of [message, callsOnly, bare]) {
        const { body } = encoded([{ role: 'user', content: 'Weather?' }, kept as Message], NEW)
        const { candidates } = recordingOf(name).whole as { candidates: { content: { parts: Part[] } }[] }
        assert.deepEqual(signed(body.contents[1].parts), signed(candidates[0]!.content.parts))
      }
    }
  })

  test('of texts and images go back to them; parts without a place go back whole', () => {
    const replay = (name: string) => {
      const { message } = decode(JSON.stringify(recordingOf(name).whole)).choices[0]!
      return encoded([{ role: 'user', content: 'Hi' }, message as Message]).body.contents[1].parts
    }
    assert.deepEqual(replay('thinking'), [{ text: 'They land together.', thoughtSignature: 'EoUBCoIBAVSoXO4text' }])
    assert.equal(replay('image-output')[1].thoughtSignature, 'EpQDimage')
    const { candidates } = recordingOf('server-tool').whole as { candidates: { content: { parts: Part[] } }[] }
    assert.deepEqual(replay('server-tool'), candidates[0]!.content.parts)
  })

  test('unknown ones: the sentinel, on the first call of each step of the current turn, for Gemini 3 only', () => {
    const step = (id: string): Message[] => [
      { role: 'assistant', content: null, tool_calls: [call(`${id}1`, 'f', '{}'), call(`${id}2`, 'f', '{}')] },
      { role: 'tool', tool_call_id: `${id}1`, content: 'x' },
      { role: 'tool', tool_call_id: `${id}2`, content: 'y' },
    ]
    const messages: Message[] = [
      { role: 'user', content: 'A' },
      ...step('a'),
      { role: 'user', content: 'B' },
      ...step('b'),
      ...step('c'),
    ]
    const sentinels = (target: Target) =>
      encoded(messages, target)
        .body.contents.flatMap(({ parts }: { parts: Part[] }) => parts)
        .flatMap((part: Part) =>
          part.thoughtSignature === 'skip_thought_signature_validator' ? [part.functionCall?.id] : [],
        )
    assert.deepEqual(sentinels(NEW), ['b1', 'c1'])
    assert.deepEqual(sentinels(OLD), [])
  })
})

type Part = { functionCall?: { name: string; id?: string }; thoughtSignature?: string; thought?: boolean }

function signed(parts: Part[]) {
  return parts
    .filter(({ functionCall }) => functionCall)
    .map(({ functionCall, thoughtSignature }) => [functionCall!.name, thoughtSignature])
}
