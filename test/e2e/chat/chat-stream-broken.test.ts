import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Behaviour, html, rawBytes, status } from '../../fakes/behaviours.ts'
import { messagesOf } from '../../fakes/fold-chunks.ts'
import { hangUp } from '../../fakes/hang-up.ts'
import {
  type Chunk,
  interleavedChoices,
  SOME_USAGE,
  textEvents,
  toolEvents,
  usageChunk,
} from '../../fakes/openai-events.ts'
import { stream } from '../../fakes/stream.ts'
import { sample } from '../../soak/sample.ts'
import { ASK, type StreamedReply } from '../../gateway/chat-client.ts'
import { gatewayForAll } from '../../gateway/gateway-with-fakes.ts'

const { chat, openai, fake } = await gatewayForAll()

const CUTS = sample(20, 50)
const AT_ONCE = 10
const WITH_FALLBACK = { ...ASK, fallbacks: ['fake/priced'] }

type Ending = 'FIN' | 'RST' | 'an end that looks clean'

const STREAMS: Record<string, { events: Chunk[]; n?: number }> = {
  text: { events: textEvents('Grüß dich, 世界 👋🏽 und mehr.') },
  tools: { events: toolEvents([{ id: 'call_1', name: 'weather', arguments: '{"city":"Tromsø"}' }]) },
  'two choices': { events: interleavedChoices(['One two', 'Three four five']), n: 2 },
}

for (const [name, { events, n = 1 }] of Object.entries(STREAMS)) {
  for (const ending of ['FIN', 'RST', 'an end that looks clean'] satisfies Ending[]) {
    test(`${name}, cut at ${CUTS} places by ${ending}: an error, or all of it`, async () => {
      const texts = events.map((event) => `data: ${JSON.stringify(event)}\n\n`)
      const bytes = Buffer.from([...texts, 'data: [DONE]\n\n'].join(''))
      const places = Array.from({ length: CUTS }, () => Math.floor(Math.random() * bytes.length))
      for (let at = 0; at < CUTS; at += AT_ONCE) {
        await Promise.all(places.slice(at, at + AT_ONCE).map((place) => cutAt(place, bytes, events, n, ending)))
      }
    })
  }
}

/** The place is in `user`, so that concurrent cuts do not take each other's behaviour. */
async function cutAt(place: number, bytes: Buffer, events: Chunk[], n: number, ending: Ending): Promise<void> {
  openai.always((request, response) => {
    const { user } = request.body as { user: string }
    return sendPart(bytes.subarray(0, Number(user)), ending)(request, response)
  })
  const reply = await chat.stream({ ...ASK, n, user: String(place) })
  const finish = bytes.lastIndexOf('"finish_reason":"')
  const wholeEvent = place >= bytes.indexOf('\n\n', finish) + 2
  const wholeFinish = place >= bytes.indexOf('\n\n', finish)
  const label = `cut at ${place} of ${bytes.length} by ${ending}: ${reply.text}`
  if (reply.done === 0) {
    assert.equal(reply.errors.length, 1, label)
    assert.ok(!wholeEvent || ending === 'RST', label)
    assert.ok(reply.chunks.every(({ choices }) => n > 1 || !choices[0]?.finish_reason) || ending === 'RST', label)
    return
  }
  assert.ok(wholeFinish, label)
  assert.deepEqual([reply.done, reply.errors], [1, []], label)
  assert.deepEqual(messagesOf(reply.chunks), messagesOf(events), label)
}

function sendPart(part: Buffer, ending: Ending): Behaviour {
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n'
  if (ending === 'an end that looks clean') return rawBytes(Buffer.concat([Buffer.from(head), part]))
  return (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    response.write(part, () => hangUp(response, ending === 'FIN' ? 'fin' : 'rst'))
  }
}

const finished = textEvents('Hi there', { usage: null })
const ENDINGS: Record<string, Behaviour> = {
  'a finish reason and no [DONE]': stream(finished, { end: 'clean' }),
  'a finish reason and a broken line': stream(finished, { end: 'fin' }),
  'two [DONE]': stream([...finished, 'data: [DONE]\n\n']),
  'two [DONE] in one packet': stream([...finished, 'data: [DONE]\n\ndata: [DONE]\n\n'], { end: 'clean' }),
  'data after [DONE]': stream([...finished, 'data: [DONE]\n\n', ...textEvents('and more')]),
  'data after [DONE], in one packet': stream([...finished, 'data: [DONE]\n\n', ...textEvents('and more')], {
    chunking: 'whole',
  }),
  'an error after [DONE], in one packet': stream([...finished, 'data: [DONE]\n\n', { error: { message: 'late' } }], {
    chunking: 'whole',
  }),
  'a finish reason without its blank line': stream(
    [...finished.slice(0, -1), `data: ${JSON.stringify(finished.at(-1))}`],
    { end: 'clean' },
  ),
  'a last event without its blank line': stream([...finished, 'data: [DONE]'], { end: 'clean' }),
}

for (const [what, behaviour] of Object.entries(ENDINGS)) {
  test(`${what}: complete, with one [DONE]`, async () => {
    openai.next(behaviour)
    const reply = await chat.stream(ASK)
    assert.deepEqual([reply.done, reply.errors], [1, []])
    assert.deepEqual(messagesOf(reply.chunks), [{ role: 'assistant', content: 'Hi there', refusal: null }])
    const reasons = reply.chunks.flatMap(({ choices }) => choices.map(({ finish_reason }) => finish_reason ?? []))
    assert.deepEqual(reasons.flat(), ['stop'])
  })
}

test('a provider that goes on for ever after [DONE] is hung up on', async () => {
  openai.next(async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of finished) response.write(`data: ${JSON.stringify(event)}\n\n`)
    response.write('data: [DONE]\n\n')
    const timer = setInterval(() => response.write('data: {"choices":[]}\n\n'), 5)
    response.once('close', () => clearInterval(timer))
  })
  assert.equal((await chat.stream(ASK)).done, 1)
  assert.equal(await openai.requests[0]!.closed, true)
})

test('of two requested choices, one that finishes does not make the answer complete', async () => {
  const [opening, ...rest] = interleavedChoices(['a', 'b c d'], { usage: null })
  openai.next(stream([opening!, ...rest.slice(0, -2)], { end: 'clean' }))
  const reply = await chat.stream({ ...ASK, n: 2 })
  assert.deepEqual([reply.done, reply.errors.length], [0, 1])
})

const error = (code: unknown, message = 'boom') => ({ error: { message, type: 'server_error', code, param: null } })
const FIRST_ERRORS: Record<string, { events: (string | object)[]; status: number; code: string }> = {
  'without a code': { events: [error(null)], status: 502, code: 'upstream_error' },
  'with a status as code': { events: [error(429)], status: 429, code: 'rate_limited' },
  'as a named event': {
    events: [`event: error\ndata: ${JSON.stringify(error(503))}\n\n`],
    status: 503,
    code: 'overloaded',
  },
  'after comments': { events: [': wait\n\n', ': wait\n\n', error(500)], status: 502, code: 'upstream_error' },
  'after a chunk that says nothing': {
    events: [{ ...usageChunk(), usage: null }, error(500)],
    status: 502,
    code: 'upstream_error',
  },
  'in the packet of the first chunk': {
    events: [`data: ${JSON.stringify(finished[0])}\n\ndata: ${JSON.stringify(error(500))}\n\n`],
    status: 502,
    code: 'upstream_error',
  },
  'about the context length': {
    events: [error('context_length_exceeded')],
    status: 400,
    code: 'context_length_exceeded',
  },
}

for (const [how, { events, status: reported, code }] of Object.entries(FIRST_ERRORS)) {
  test(`an error as the first event, ${how}: its own status, and the fallback answers`, async () => {
    openai.always(stream(events))
    const alone = await chat.stream(ASK)
    assert.deepEqual([alone.status, alone.errors[0]?.error.code, alone.chunks], [reported, code, []])
    fake.next(stream(textEvents('From the other')))
    const helped = await chat.stream(WITH_FALLBACK)
    assert.deepEqual([helped.status, helped.done, helped.chunks[0]?.model], [200, 1, 'fake/priced'])
  })
}

test('a provider that holds the line after an error is hung up on, at the beginning and in the middle', async () => {
  const held = { end: 'clean' as const, waitFor: new Promise(() => {}) }
  openai.next(stream([error(500)], held))
  openai.next(stream([...finished.slice(0, 2), error(500)], { ...held, waitAfter: 3 }))
  assert.equal((await chat.stream(ASK)).status, 502)
  assert.equal((await chat.stream(ASK)).errors.length, 1)
  for (const { closed } of openai.requests) assert.equal(await closed, true)
})

test('an error in the middle, and another model that says something else: one in-band error with the reason, no [DONE]', async () => {
  const secret = 'sk-abcdefghijklmnopqrstuvwx'
  openai.next(
    stream([...finished.slice(0, 2), error(500, `boom ${secret} at https://internal.example/x`), ...finished.slice(2)]),
  )
  fake.next(stream(textEvents('Not what was said')))
  const reply = await chat.stream(WITH_FALLBACK)
  assert.deepEqual([reply.status, reply.done, reply.chunks.length], [200, 0, 2])
  assert.deepEqual(reply.errors, [
    {
      error: {
        message: 'openai/gpt-4o-mini: boom [redacted] at [address]',
        type: 'server_error',
        code: 'upstream_error',
        param: null,
      },
    },
  ])
  assert.ok(reply.text.trimEnd().endsWith('}'))
  assert.equal(fake.requests.length, 1)
})

const JUNK = [
  'data:\n\n',
  'data: 5\n\n',
  'data: null\n\n',
  'data: "text"\n\n',
  'data: []\n\n',
  'data: {"choices":null}\n\n',
  'data: {"choices":[null]}\n\n',
  'data: ping\n\n',
  'data: {"choices":[{"index":0,"delta":null}]}\n\n',
  'data: <!doctype html>\n\n',
  'event: ping\ndata: {"type":"ping"}\n\n',
  'no field at all\n\n',
  '\0\n\n',
  '\n\n\n',
]

for (const junk of JUNK) {
  test(`${JSON.stringify(junk)} between the events is passed over`, async () => {
    openai.next(stream([junk, ...finished.flatMap((event) => [event, junk])]))
    const reply = await chat.stream(ASK)
    assert.deepEqual([reply.status, reply.done, reply.errors], [200, 1, []])
    const text = reply.chunks.map(({ choices }) => choices[0]?.delta?.content ?? '').join('')
    assert.equal(text, 'Hi there')
  })
}

const gzipped = (_: unknown, response: Parameters<Behaviour>[1]) => {
  response
    .writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' })
    .end(Buffer.from([31, 139, 8, 0, 10, 10, 255]))
}
const NO_STREAMS: Record<string, Behaviour> = {
  'HTML with status 200': html(),
  'HTML that claims to be events': stream(['<!doctype html>\n<p>Bad gateway</p>\n'], { end: 'clean' }),
  'an error as JSON with status 200': status(200, error(null)),
  'an empty 204': status(204, ''),
  'an empty event stream': stream([], { end: 'clean' }),
  'only [DONE]': stream([]),
  'who speaks, and then [DONE]': stream(finished.slice(0, 1)),
  'only comments': stream([': hello\n\n'], { end: 'clean' }),
  'gzip that the gateway did not ask for': gzipped,
  'a header of 100 KB': rawBytes(`HTTP/1.1 200 OK\r\nx-big: ${'x'.repeat(100_000)}\r\n\r\n`),
  'no HTTP': rawBytes('SSH-2.0-OpenSSH_9.9\r\n'),
  'a flood of 1xx and then nothing': rawBytes('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(200)),
}

for (const [what, behaviour] of Object.entries(NO_STREAMS)) {
  test(`${what} in place of a stream: 502, and the fallback answers`, async () => {
    openai.always(behaviour)
    const alone = await chat.stream(ASK)
    assert.deepEqual([alone.status, alone.errors[0]?.error.code], [502, 'upstream_error'])
    fake.next(stream(textEvents('From the other')))
    const helped = await chat.stream(WITH_FALLBACK)
    assert.deepEqual([helped.status, helped.done, helped.chunks[0]?.model], [200, 1, 'fake/priced'])
  })
}

test('__proto__ in an event poisons nothing', async () => {
  const poison = '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}'
  const event = `data: {"id":"x",${poison},"choices":[{"index":0,${poison},"delta":{${poison},"content":"Hi"},"finish_reason":"stop"}]}\n\n`
  openai.next(stream([event]))
  const reply: StreamedReply = await chat.stream(ASK)
  assert.deepEqual([reply.status, reply.done, reply.chunks[0]?.choices[0]?.delta.content], [200, 1, 'Hi'])
  assert.equal(({} as { polluted?: boolean }).polluted, undefined)
})

test('Text/Event-Stream in capitals is an event stream too', async () => {
  openai.next(
    stream([...finished, usageChunk(SOME_USAGE)], { headers: { 'content-type': 'Text/Event-Stream;charset=UTF-8' } }),
  )
  assert.deepEqual((await chat.stream(ASK)).done, 1)
})
