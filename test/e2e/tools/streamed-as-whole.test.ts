import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { randomNumbers } from '../../fakes/random-numbers.ts'
import { type FakeTurn, toolCaller } from '../../fakes/tool-caller.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { askIn, CLIENT_FORMATS, type ClientFormat } from '../../gateway/client-formats.ts'
import { type GatewayWithTools, startGatewayWithTools } from '../../gateway/gateway-with-tools.ts'
import { sample } from '../../soak/sample.ts'

// Whatever the turns of a model are, a streamed answer is the whole one in pieces: the same text, the same calls, the same end. One
// that breaks off in whichever turn has no end, and makes no call of the turn that broke off.

type Fields = Record<string, unknown>

const MANY = sample(6, 300)
const METADATA = { 'x-gatehouse-metadata': 'enabled' }
const LABEL = {
  type: 'mcp',
  server_label: 'tickets',
  require_approval: 'never',
  allowed_tools: ['find', 'count', 'fail'],
}
const OWN = { type: 'object', properties: {} }

/** The tools in the words of each format, with a function of the caller. */
const TOOLS: Record<string, object> = {
  chat: { tools: [LABEL, { type: 'function', function: { name: 'own', parameters: OWN } }] },
  messages: {
    mcp_servers: [{ type: 'url', name: 'tickets' }],
    tools: [
      { type: 'mcp_toolset', mcp_server_name: 'tickets' },
      { name: 'own', input_schema: OWN },
    ],
  },
  responses: { tools: [LABEL, { type: 'function', name: 'own', parameters: OWN }] },
  gemini: { tools: [{ mcpServers: [{ name: 'tickets' }] }, { functionDeclarations: [{ name: 'own' }] }] },
  cohere: { tools: [LABEL, { type: 'function', function: { name: 'own', parameters: OWN } }] },
}

/** What each format's answer says, beside ids: its text, and the calls for the caller. */
const READ: Record<string, (value: Fields) => { text: string; calls: string[] }> = {
  chat: ({ choices }) => {
    const { message, delta } = (choices as Fields[])[0] ?? {}
    const { content, tool_calls } = (message ?? delta ?? {}) as Fields
    const names = ((tool_calls ?? []) as { function: Fields }[]).flatMap((call) => (call.function.name as string) || [])
    return { text: String(content ?? ''), calls: names }
  },
  messages: ({ content, delta, content_block }) => {
    const blocks = [...((content ?? []) as Fields[]), ...(content_block ? [content_block as Fields] : [])]
    const texts = blocks.flatMap(({ type, text }) => (type === 'text' ? String(text) : []))
    const calls = blocks.flatMap(({ type, name }) => (type === 'tool_use' ? String(name) : []))
    return { text: texts.join('') + String((delta as Fields)?.text ?? ''), calls }
  },
  responses: ({ type, response, output }) => {
    const items = (
      type ? (/completed|incomplete/.test(String(type)) && (response as Fields)?.output) || [] : output
    ) as Fields[]
    const parts = items.flatMap(({ content }) => (content ?? []) as Fields[])
    const calls = items.flatMap((item) => (item.type === 'function_call' ? String(item.name) : []))
    return { text: parts.map(({ text }) => text ?? '').join(''), calls }
  },
  gemini: ({ candidates }) => {
    const { parts = [] } = ((candidates as Fields[])?.[0]?.content ?? {}) as { parts?: Fields[] }
    const calls = parts.flatMap(({ functionCall }) => (functionCall ? String((functionCall as Fields).name) : []))
    return { text: parts.map(({ text }) => text ?? '').join(''), calls }
  },
  cohere: ({ message, delta }) => {
    const { content, tool_calls } = (message ?? (delta as Fields)?.message ?? {}) as Fields
    const texts = [content ?? []].flat() as Fields[]
    const called = [tool_calls ?? []].flat() as { function: Fields }[]
    const names = called.flatMap((call) => (call.function.name as string) || [])
    return { text: texts.map(({ text }) => text ?? '').join(''), calls: names }
  },
}

/** What each format shows of the calls that the gateway has made, without ids that are made anew for every answer. */
const STEPS: Record<string, (values: Fields[]) => unknown[]> = {
  chat: (values) =>
    values.flatMap(({ choices }) => {
      const { message, delta } = (choices as Fields[])[0] ?? {}
      return ((message ?? delta ?? {}) as Fields).provider_content ?? []
    }),
  messages: (values) => {
    const written = values.flatMap(({ delta }) => (delta as Fields)?.partial_json ?? []).join('')
    const blocks = values.flatMap(({ content, content_block }) => (content ?? content_block ?? []) as Fields[])
    const inputs = blocks.map(({ input }) => JSON.stringify(input)).join('')
    const steps = blocks.filter(({ type }) => String(type).startsWith('mcp_tool'))
    // The inputs of a stream follow the blocks.
    return [written || inputs, ...steps.map(({ input: _, ...step }) => step)]
  },
  responses: (values) =>
    values.flatMap(({ type, response, output }) => {
      const items = (type ? /completed|incomplete/.test(String(type)) && (response as Fields)?.output : output) || []
      return (items as Fields[]).flatMap(({ id: _, ...item }) => (String(item.type).startsWith('mcp_') ? [item] : []))
    }),
  gemini: (values) =>
    values.flatMap(({ candidates }) => {
      const { parts = [] } = ((candidates as Fields[])?.[0]?.content ?? {}) as { parts?: Fields[] }
      return parts.flatMap(({ thoughtSignature }) => (thoughtSignature ? [unpacked(String(thoughtSignature))] : []))
    }),
  cohere: () => [],
}

/** What an answer says about itself is at its end. */
function notesIn(values: Fields[]): unknown {
  const found = values.flatMap(({ gatehouse, message, response, delta }) =>
    [gatehouse, ...[message, response, delta].map((within) => (within as Fields)?.gatehouse)].filter(Boolean),
  )
  assert.ok(found.length > 0)
  return (found.at(-1) as Fields).notes
}

/** No two calls of a tool take the same time. */
function withoutDurations(name: string, value: unknown): unknown {
  return name === 'duration_ms' ? undefined : value
}

/** What travels in the signatures of Gemini's parts. */
function unpacked(signature: string): unknown {
  const [, packed = ''] = /^gatehouse\..*\.([\w-]*)$/s.exec(Buffer.from(signature, 'base64').toString()) ?? []
  return JSON.parse(Buffer.from(packed, 'base64url').toString(), withoutDurations)
}

describe('an answer of several turns', () => {
  let setup: GatewayWithTools
  before(async () => {
    setup = await startGatewayWithTools({ overrides: { cutAfterMs: 1 } })
  })
  after(() => setup.close())

  for (const [name, tools] of Object.entries(TOOLS))
    test(`is the same streamed and whole: ${name}`, async () => {
      const random = randomNumbers(7)
      for (let round = 0; round < MANY; round++) {
        const turns = randomTurns(random)
        const [whole, streamed] = [await play(name, tools, turns, false), await play(name, tools, turns, true)]
        assert.deepEqual(streamed, whole, JSON.stringify(turns))
      }
    })

  for (const [name, tools] of Object.entries(TOOLS))
    test(`has no end if a turn breaks off: ${name}`, async () => {
      const random = randomNumbers(11)
      for (let round = 0; round < MANY; round++) {
        const turns = randomTurns(random, OF_GATEWAY)
        const whole = await play(name, tools, turns, false)
        const broken = Math.floor(random() * turns.length)
        const { text = '', calls = [] } = turns[broken]!
        // After the last of these events comes the one that ends the turn.
        const cutAfter = Math.floor(random() * (1 + Math.ceil(text.length / 4) + calls.length))
        setup.model.always(toolCaller(turns.with(broken, { ...turns[broken], cutAfter })))
        setup.server.seen.length = 0
        const told = await askIn(setup.gateway.url, CLIENT_FORMATS[name]!, 'fake/priced', true, tools)
        const about = JSON.stringify([turns, broken, cutAfter, told])
        assert.deepEqual([told.isError, told.end], [true, null], about)
        assert.ok(whole.text.startsWith(told.text), about)
        const before = turns.slice(0, broken).flatMap((turn) => turn.calls ?? [])
        const wanted = before.map(([called, input]) => `${called.replace('tickets__', '')}(${JSON.stringify(input)})`)
        assert.deepEqual(setup.server.calls().sort(), wanted.sort(), about)
      }
    })

  async function play(name: string, tools: object, turns: FakeTurn[], isStream: boolean) {
    setup.model.reset()
    setup.model.always(toolCaller(turns))
    setup.server.seen.length = 0
    const format: ClientFormat = CLIENT_FORMATS[name]!
    const reply = await fetch(setup.gateway.url + format.path('fake/priced', isStream), {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json', ...METADATA },
      body: JSON.stringify({ ...format.body('fake/priced', isStream), ...tools }),
    })
    assert.equal(reply.status, 200)
    const body = await reply.text()
    const values = isStream ? [...body.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => data!) : [body]
    const read = values.map((value) => JSON.parse(value, withoutDurations) as Fields)
    const parts = read.map((value) => READ[name]!(value))
    const ends = read.flatMap((value) => format.read(value).end ?? [])
    assert.equal(ends.length, 1, body)
    const ids = read.flatMap(({ id, responseId }) => id ?? responseId ?? [])
    assert.ok(new Set(ids).size <= 1, body)
    return {
      text: parts.map(({ text }) => text).join(''),
      calls: parts.flatMap(({ calls }) => calls),
      end: ends[0],
      steps: STEPS[name]!(read),
      notes: notesIn(read),
      made: setup.server.calls(),
      asked: setup.model.requests.map(({ body: sent }) => (sent as { messages: unknown }).messages),
    }
  }
})

const OF_GATEWAY = [
  ['tickets__find', { word: 'gate 😀' }],
  ['tickets__count', {}],
  ['tickets__fail', {}],
] as const
type Called = NonNullable<FakeTurn['calls']>[number]
const OF_BOTH = [...OF_GATEWAY, ['own', { a: 1 }], ['tickets__find', {}]] as const

/** One to four turns with texts and calls; the last one answers. */
function randomTurns(random: () => number, calls: readonly Called[] = OF_BOTH): FakeTurn[] {
  const of = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)]!
  const texts = ['', 'Let me look.', 'Moment…\n', '😀 ', 'a'.repeat(50)]
  const turns = Array.from({ length: Math.floor(random() * 4) }, (): FakeTurn => {
    return { text: of(texts), calls: Array.from({ length: 1 + Math.floor(random() * 3) }, () => of<Called>(calls)) }
  })
  return [...turns, { text: of(texts.slice(1)), finish: of(['stop', 'length']) }]
}
