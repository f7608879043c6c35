import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AnswerDecoder } from '../src/translation/dialects/answer/answer-decoder.ts'
import { DIALECT_NAMES, DIALECTS } from '../src/translation/dialects/index.ts'
import { AwsEventStream } from '../src/platform/net/aws-event-stream.ts'
import { EventReader } from '../src/platform/net/event-reader.ts'
import type { WireEvent } from '../src/translation/wire/wire.ts'
import { foldChunks } from './fakes/fold-chunks.ts'
import { DIALECT_SAMPLES } from './fakes/recordings.ts'

// In every dialect, a stream is one answer.

for (const name of DIALECT_NAMES)
  for (const { name: what, request, frames, compat } of DIALECT_SAMPLES[name].recordings)
    describe(`the dialect ${name}: ${what}`, () => {
      const { chat } = DIALECTS[name]

      test('what follows the end is passed over, also if it is the whole stream once more', async () => {
        const events = await eventsOf(frames)
        assert.deepEqual(answerOf([...events, ...events]), answerOf(events))
      })

      test('an answer whose ids change with every event is one answer', async () => {
        const events = await eventsOf(frames)
        const changed = events.map((event, at) => ({ ...event, data: withOtherIds(event.data, at) }))
        assert.deepEqual(withoutIds(answerOf(changed)), withoutIds(answerOf(events)))
      })

      function answerOf(events: readonly WireEvent[]): object {
        const decoder = new AnswerDecoder(chat.decoder(request, { compat }))
        return foldChunks(events.flatMap((event) => decoder.feed(event)).map((chunk) => ({ ...chunk, id: 'one' })))
      }

      async function eventsOf(pieces: readonly Uint8Array[]): Promise<WireEvent[]> {
        const isFramed = chat.framing === 'aws-event-stream'
        const reader = isFramed ? new AwsEventStream(bodyOf(pieces)) : new EventReader(bodyOf(pieces))
        const events: WireEvent[] = []
        for (let batch = await reader.next(); batch; batch = await reader.next()) events.push(...batch)
        return events
      }
    })

async function* bodyOf(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces
}

/** The ids that name an answer, other ones for every event. */
function withOtherIds(data: string, at: number): string {
  return data.replace(/"(id|responseId)":"[^"]*"/, (_, name) => `"${name}":"other_${at}"`)
}

/** Without what is derived from the id of an answer. */
function withoutIds(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, inner) => (/^(id|tool_call_id)$/.test(key) ? undefined : inner)))
}
