import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { awsFrame } from '../fakes/aws-frames.ts'
import { type Behaviour, answer, status } from '../fakes/behaviours.ts'
import { DIALECT_SAMPLES } from '../fakes/recordings.ts'
import { chatClient, HELLO } from '../gateway/chat-client.ts'
import { type DialectGateway, MODELS } from '../gateway/dialect-gateway.ts'
import { MB } from '../../src/base/units/units.ts'

// Invalid answers of providers, in every dialect: an upstream error or a fallback, never a crash, never an invented end.

const HTML = '<!doctype html>\n<html><body><h1>It works!</h1></body></html>\n'
/** One byte more than a reader accepts for an event. */
const GIANT_LINE = Buffer.concat([Buffer.from('data: '), Buffer.alloc(32 * MB + 1, 'x'), Buffer.from('\n\n')])
const GIANT_FRAME = awsFrame({ ':event-type': 'contentBlockDelta' }, Buffer.alloc(17 * MB, 'x'))

export function badInputTests({ gateway, fake }: DialectGateway): void {
  const chat = chatClient(gateway.url)
  for (const [at, { dialect, model }] of MODELS.entries())
    describe(dialect, () => {
      const { frames, whole } = DIALECT_SAMPLES[dialect].recordings.find(({ name }) => name === 'text')!
      const isBinary = dialect === 'bedrock'
      const eventType = isBinary ? 'application/vnd.amazon.eventstream' : 'text/event-stream'
      const giant = isBinary ? GIANT_FRAME : GIANT_LINE
      const other = MODELS[(at + 1) % MODELS.length]!.model

      const NO_ANSWERS: Record<string, Behaviour> = {
        'HTML with status 200': status(200, HTML, { 'content-type': 'text/html' }),
        'HTML that claims to be JSON': status(200, HTML, { 'content-type': 'application/json' }),
        'JSON that breaks off': status(200, whole.slice(0, whole.length / 2), { 'content-type': 'application/json' }),
      }
      const NO_STREAMS: Record<string, Behaviour> = {
        ...NO_ANSWERS,
        'HTML that claims to be events': sends(Buffer.from(HTML)),
        'an event that breaks off': sends(frames[0]!.subarray(0, frames[0]!.length / 2)),
        'only unknown events': sends(...DIALECT_SAMPLES[dialect].noise),
        'a gigantic line': sends(giant),
      }
      for (const [what, behaviour] of Object.entries(NO_ANSWERS))
        test(`${what}, whole: 502, or the fallback answers`, async () => {
          fake.next(behaviour)
          const alone = await chat.whole({ ...HELLO, model, max_tokens: 100 })
          assert.deepEqual([alone.status, alone.failure.error.code], [502, 'upstream_error'])
          fake.next(behaviour)
          const helped = await chat.whole({ ...HELLO, model, max_tokens: 100, fallbacks: [other] })
          assert.deepEqual([helped.status, helped.completion.model], [200, other])
        })
      for (const [what, behaviour] of Object.entries(NO_STREAMS))
        test(`${what}, streamed: 502, or the fallback answers`, async () => {
          fake.next(behaviour)
          const alone = await chat.stream({ ...HELLO, model, max_tokens: 100 })
          assert.deepEqual([alone.status, alone.errors[0]?.error.code, alone.chunks], [502, 'upstream_error', []])
          if (what === 'a gigantic line') return
          fake.next(behaviour)
          const helped = await chat.stream({ ...HELLO, model, max_tokens: 100, fallbacks: [other] })
          assert.deepEqual([helped.status, helped.done, helped.chunks[0]?.model], [200, 1, other])
        })

      const begun = frames.slice(0, Math.ceil(frames.length / 2))
      const MIDDLES: Record<string, Uint8Array[]> = {
        HTML: [...begun, Buffer.from(HTML)],
        'half an event': [...begun, frames.at(-1)!.subarray(0, frames.at(-1)!.length / 2)],
        nothing: begun,
      }
      for (const [what, sent] of Object.entries(MIDDLES))
        test(`${what} in the middle of a stream, and no more: one error, and no end`, async () => {
          fake.next(sends(...sent))
          const reply = await chat.stream({ ...HELLO, model, max_tokens: 100 })
          assert.deepEqual([reply.done, reply.errors.length], [0, 1], reply.text)
          assert.ok(reply.chunks.every(({ choices }) => choices.every((choice) => !choice.finish_reason)))
        })

      test('unknown events, between all others, are passed over', async () => {
        fake.next(sends(...frames.flatMap((frame) => [...DIALECT_SAMPLES[dialect].noise, frame])))
        const noisy = await chat.stream({ ...HELLO, model, max_tokens: 100 })
        fake.next(sends(...frames))
        const calm = await chat.stream({ ...HELLO, model, max_tokens: 100 })
        assert.deepEqual([noisy.done, noisy.errors, textOf(noisy)], [1, [], textOf(calm)])
        assert.ok(textOf(calm).length > 0)
      })

      function sends(...parts: Uint8Array[]): Behaviour {
        return (_, response) => {
          response.writeHead(200, { 'content-type': eventType }).end(Buffer.concat(parts))
        }
      }
    })

  test('reasoning between tags: reasoning and answer arrive separately', async () => {
    fake.next(answer({ content: '<think>Let me see.</think>\n\nHello.' }))
    const { completion } = await chat.whole({ ...HELLO, model: 'featherless/any/thinker' })
    const { content, reasoning_content } = completion.choices[0]!.message
    assert.deepEqual([content, reasoning_content], ['Hello.', 'Let me see.'])
  })
}

function textOf({ chunks }: { chunks: { choices: { delta: { content?: unknown } }[] }[] }): string {
  return chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta.content ?? '')).join('')
}
