import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { RequestLine } from '../../../src/contract/admin/requests.ts'
import type { Behaviour } from '../../fakes/behaviours.ts'
import { hangUp } from '../../fakes/hang-up.ts'
import { randomNumbers } from '../../fakes/random-numbers.ts'
import { sample, someOf } from '../../soak/sample.ts'
import { askIn, CLIENT_FORMATS, type ClientFormat, type Told } from '../../gateway/client-formats.ts'
import { idle } from '../../gateway/gateway-with-fakes.ts'
import { BUDGET, demandSettled } from '../../gateway/leaving.ts'
import { type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'

// What streams that end in odd ways tell their callers, and what is in the books for them: an error exactly if the stream was not
// whole, one line with tokens and a cost for each call, and an estimate only where the provider did not say what it did.

type Wire = {
  /** Of the catalog; otherwise one of a row of its own. */
  model?: string
  /** Everything before the last piece of text. */
  begin: string[]
  text(text: string): string
  end: string
  /** After the end, in the streams of most providers. */
  rest: string[]
  /** The end is the last event of the format: nothing that follows belongs to the answer. */
  endIsLast?: boolean
  /** An event that reports what was used so far; absent where only the end does. */
  usage?: string
  error: string
  /** An event that says nothing. */
  nothing: string
}

const READ = 3_000
const WRITTEN = 400
const TEXT = 'Hi there'

const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`
const named = (value: { type: string; [member: string]: unknown }) => `event: ${value.type}\n${data(value)}`
const chunk = (delta: object, finish_reason: string | null = null) => {
  return data({ id: 'c', choices: [{ index: 0, delta, finish_reason }] })
}
const openaiUsage = { prompt_tokens: READ, completion_tokens: WRITTEN, total_tokens: READ + WRITTEN }
const geminiReply = (candidate: object[], usageMetadata?: object) => data({ candidates: candidate, usageMetadata })
const geminiUsage = { promptTokenCount: READ, candidatesTokenCount: WRITTEN, totalTokenCount: READ + WRITTEN }
const cohereUsage = { input_tokens: READ, output_tokens: WRITTEN }

const RESPONSE = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', output: [] }
const MESSAGE = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed' }

const WIRES: Record<string, Wire> = {
  openai: {
    begin: [chunk({ role: 'assistant', content: '' }), chunk({ content: 'Hi' })],
    text: (content) => chunk({ content }),
    end: chunk({}, 'stop'),
    rest: [data({ id: 'c', choices: [], usage: openaiUsage }), 'data: [DONE]\n\n'],
    usage: data({ id: 'c', choices: [], usage: openaiUsage }),
    error: data({ error: { message: 'boom', type: 'server_error' } }),
    nothing: data({ id: 'c', choices: [] }),
  },
  anthropic: {
    begin: [
      named({
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          content: [],
          model: 'm',
          usage: { input_tokens: READ, output_tokens: 1 },
        },
      }),
      named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } }),
    ],
    text: (text) => named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    end: named({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: WRITTEN } }),
    rest: [named({ type: 'message_stop' })],
    error: named({ type: 'error', error: { type: 'api_error', message: 'boom' } }),
    nothing: named({ type: 'ping' }),
  },
  gemini: {
    begin: [geminiReply([{ content: { role: 'model', parts: [{ text: 'Hi' }] } }])],
    text: (text) => geminiReply([{ content: { role: 'model', parts: [{ text }] } }]),
    end: geminiReply([{ content: { role: 'model', parts: [] }, finishReason: 'STOP' }], geminiUsage),
    rest: [],
    usage: geminiReply([], geminiUsage),
    error: data({ error: { code: 500, message: 'boom', status: 'INTERNAL' } }),
    nothing: geminiReply([]),
  },
  cohere: {
    begin: [
      data({ type: 'message-start', id: 'm', delta: { message: { role: 'assistant' } } }),
      data({ type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } }),
      data({ type: 'content-delta', index: 0, delta: { message: { content: { text: 'Hi' } } } }),
    ],
    text: (text) => data({ type: 'content-delta', index: 0, delta: { message: { content: { text } } } }),
    end: data({
      type: 'message-end',
      delta: { finish_reason: 'COMPLETE', usage: { billed_units: cohereUsage, tokens: cohereUsage } },
    }),
    rest: [],
    endIsLast: true,
    error: data({ type: 'message-end', delta: { finish_reason: 'ERROR', error: 'boom' } }),
    nothing: data({ type: 'debug' }),
  },
  responses: {
    model: 'openai/gpt-5.3-codex',
    begin: [
      named({ type: 'response.created', response: { ...RESPONSE, status: 'in_progress' } }),
      named({ type: 'response.output_item.added', output_index: 0, item: { ...MESSAGE, content: [] } }),
      named({ type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: 'Hi' }),
    ],
    text: (delta) =>
      named({ type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta }),
    end: named({
      type: 'response.completed',
      response: {
        ...RESPONSE,
        status: 'completed',
        output: [{ ...MESSAGE, content: [{ type: 'output_text', text: TEXT, annotations: [] }] }],
        usage: { input_tokens: READ, output_tokens: WRITTEN, total_tokens: READ + WRITTEN },
      },
    }),
    rest: [],
    endIsLast: true,
    error: named({ type: 'error', code: 'server_error', message: 'boom', param: null }),
    nothing: named({ type: 'response.in_progress', response: { ...RESPONSE, status: 'in_progress' } }),
  },
}

type Ended = 'properly' | 'fin'
/** `isWhole` is undefined where a stream may be taken for either, but for the same in the answer and in the books. */
type Case = { bytes: Buffer; ended?: Ended; isWhole?: boolean; isExact?: boolean; pieces?: number }

function casesOf(wire: Wire): Record<string, Case> {
  const { begin, text, end, rest, endIsLast, usage, error, nothing } = wire
  const before = [...begin, text(' there')]
  const whole = [...before, end, ...rest]
  const all = (...events: string[]) => Buffer.from(events.join(''))
  const cases: Record<string, Case> = {
    'nothing odd': { bytes: all(...whole), isWhole: true, isExact: true },
    'one byte at a time': { bytes: all(...whole), isWhole: true, isExact: true, pieces: 1 },
    'events that say nothing': {
      bytes: all(...[...before, end].flatMap((event) => [event, nothing]), ...rest),
      isWhole: true,
      isExact: true,
    },
    'a FIN after its end': { bytes: all(...whole), ended: 'fin', isWhole: true, isExact: true },
    'nothing after its end': { bytes: all(...before, end), isWhole: true },
    'two ends': { bytes: all(...before, end, end, ...rest), isWhole: true, isExact: true },
    'no end': { bytes: all(...before), isWhole: false },
    'no end, and a FIN': { bytes: all(...before), ended: 'fin', isWhole: false },
    'the rest without an end': { bytes: all(...before, ...rest), isWhole: false },
    'an error after content': { bytes: all(...before, error, end, ...rest), isWhole: false },
    ...(!endIsLast && { 'text after its end': { bytes: all(...begin, end, text(' there'), ...rest) } }),
    ...((endIsLast || rest.length > 0) && {
      'text after its last event': { bytes: all(...whole, text(' and more')), isWhole: true, isExact: true },
    }),
    'an error after its end': { bytes: all(...before, end, error) },
    ...(usage && {
      'usage before the last text': {
        bytes: all(...begin, usage, text(' there'), end, ...rest.slice(1)),
        isWhole: true,
        isExact: true,
      },
      'usage, and a cut': { bytes: all(...begin, usage), ended: 'fin' as const, isWhole: false },
    }),
  }
  const random = randomNumbers(7)
  for (let cut = 0; cut < sample(3, 60); cut++) {
    const place = Math.floor(random() * all(...whole).length)
    const isEnded = place >= all(...before, end).length
    const isBegun = place < all(...before, end).length - 4
    const known = isEnded ? { isWhole: true } : isBegun ? { isWhole: false } : {}
    const ended = cut % 2 ? ('fin' as const) : ('properly' as const)
    cases[`a cut at byte ${place}`] = { bytes: all(...whole).subarray(0, place), ended, ...known }
  }
  return cases
}

let scene: LimitsGateway

before(async () => {
  const models = [{ id: 'priced', price: { input: 1, output: 2 }, output: 100_000 }]
  const dialects = Object.keys(WIRES).filter((name) => name !== 'responses')
  const rows = dialects.map((dialect) => [`my-${dialect}`, { dialect, models }] as const)
  scene = await startLimitsGateway(
    { cutAfterMs: 1 },
    { OPENAI_API_KEY: 'sk-fake-0123456789' },
    {
      moves: ['OPENAI'],
      config: { budgets: [BUDGET], providers: Object.fromEntries(rows) },
    },
  )
})
after(() => scene.close())

let asked = 0

for (const [nr, [wireName, wire]] of Object.entries(WIRES).entries())
  for (const formatName of someOf(Object.keys(CLIENT_FORMATS), nr, 3)) {
    test(`${wireName}, told as ${formatName}: an error exactly if the stream is not whole, and one line that says so`, async () => {
      const told = new Map<string, { what: string; reply: Told; of: Case }>()
      for (const [what, of] of Object.entries(casesOf(wire))) {
        const id = `books-${asked++}`
        scene.fake.always(sending(of))
        const headers = { 'x-request-id': id }
        const format = CLIENT_FORMATS[formatName]!
        const reply = await askIn(scene.gateway.url, format, wire.model ?? `my-${wireName}/priced`, true, {}, headers)
        told.set(id, { what, reply, of })
        check(what, reply, of, format)
      }
      const lines = await linesOf(told.size)
      assert.equal(lines.length, told.size)
      for (const [id, { what, reply, of }] of told) {
        const own = lines.filter((line) => line.id.split('.')[0] === id)
        assert.equal(own.length, 1, what)
        checkLine(own[0]!, what, reply, of)
      }
    })
  }

test('nothing stays reserved, and the books agree', () => demandSettled(scene))

function check(what: string, reply: Told, { isWhole }: Case, { words }: ClientFormat): void {
  const label = `${what}: ${JSON.stringify(reply)}`
  if (isWhole !== undefined) assert.equal(reply.isError, !isWhole, label)
  if (reply.isError) assert.ok(TEXT.startsWith(reply.text), label)
  else assert.deepEqual([reply.status, reply.text, reply.end], [200, TEXT, words.proper], label)
}

function checkLine(line: RequestLine, what: string, reply: Told, { isExact }: Case): void {
  const { status, code, estimated, prompt_tokens, completion_tokens, cost } = line
  const label = `${what}: ${JSON.stringify(line)}`
  assert.deepEqual([status >= 400, code !== null], [reply.isError, reply.isError], label)
  if (isExact) assert.deepEqual([estimated, prompt_tokens, completion_tokens], [false, READ, WRITTEN], label)
  // A stream that never began was refused, and costs nothing.
  const isBegun = reply.text !== '' || reply.status === 200
  if (isBegun) assert.ok(prompt_tokens > 0 && completion_tokens > 0, label)
  if (isBegun && reply.isError) assert.equal(estimated, true, label)
  const [input, output] = line.provider === 'openai' ? [1.75, 14] : [1, 2]
  assert.equal(cost, Number(((prompt_tokens * input + completion_tokens * output) / 1_000_000).toFixed(9)), label)
}

function sending({ bytes, ended = 'properly', pieces }: Case): Behaviour {
  return async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    for (let at = 0; at < bytes.length; at += pieces ?? bytes.length) {
      const piece = bytes.subarray(at, at + (pieces ?? bytes.length))
      await new Promise<void>((resolve) => response.write(piece, () => resolve()))
    }
    if (ended === 'fin') hangUp(response, 'fin')
    else response.end()
  }
}

async function linesOf(count: number): Promise<RequestLine[]> {
  await idle(scene.gateway)
  await scene.gateway.gateway.services.calls.ledger.flush()
  const { items } = (await (await scene.admin('GET', `/admin/requests?limit=${count}`)).json()) as {
    items: RequestLine[]
  }
  return items
}
