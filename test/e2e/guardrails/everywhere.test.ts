import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { WebSocket } from 'ws'
import { isRecord } from '../../../src/base/schema/record.ts'
import type { Behaviour } from '../../fakes/behaviours.ts'
import { type Chunk, SOME_USAGE, textEvents } from '../../fakes/openai-events.ts'
import { stream } from '../../fakes/stream.ts'
import { CLIENT_FORMATS } from '../../gateway/client-formats.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { endOf } from '../../gateway/spending-gateway.ts'
import { isOfPlayground, ROUTES, type Sent } from '../../gateway/spending-routes.ts'
import { someOf } from '../../soak/sample.ts'
import { CHECKS, FORBIDDEN, type GuardedGateway, startGuardedGateway } from './guarded-gateway.ts'

// Guardrails are the same everywhere: every check looks at every request and every answer, in all formats and endpoints, whole and
// streamed, wherever the text is cut. A new route of `ROUTES` is tried here by itself. `request-places.test.ts` has the places in requests.

let guarded: GuardedGateway

before(async () => {
  guarded = await startGuardedGateway()
})
after(() => guarded.close())

function post(path: string, { body }: Pick<Sent, 'body'>): Promise<Response> {
  const headers = { authorization: `Bearer ${API_KEY}` }
  if (body instanceof FormData) return fetch(guarded.scene.gateway.url + path, { method: 'POST', headers, body })
  return isOfPlayground(path)
    ? guarded.scene.admin('POST', `${path}?project=default`, body)
    : guarded.scene.post(path, body)
}

const get = (path: string) =>
  fetch(guarded.scene.gateway.url + path, { headers: { authorization: `Bearer ${API_KEY}` } })

/** Texts of callers in `ROUTES`. */
const TEXTS = /"(?:Hello!|Hi|Bye|Once|Twice|A long text\.|A door|Add a door\.|Waves)"/g
/** A task of a job does not say how it ended before it runs; the playground asks the same routes. */
const OF_ROUTES = Object.entries(ROUTES).flatMap(([route, sent]) => {
  const bodies = typeof sent === 'string' || isOfPlayground(route.slice('POST '.length)) ? [] : sent
  return bodies.map((one, at) => ({ name: `${route} (${at})`, path: one.path ?? route.slice('POST '.length), ...one }))
})

/** The same request with a forbidden text, or undefined if it has no text. */
function withText(body: object, word: string): object | undefined {
  if (body instanceof FormData) {
    const form = new FormData()
    for (const [name, value] of body) form.set(name, value)
    form.set('prompt', `Of a ${word}.`)
    return form
  }
  const before = JSON.stringify(body)
  const written = before.replace(TEXTS, JSON.stringify(`Of a ${word}.`))
  return written === before ? undefined : (JSON.parse(written) as object)
}

describe('a forbidden text reaches no provider', () => {
  before(() => guarded.guard('block'))

  for (const [shift, { name, path, isJob, isBatch, isEvents, isTool, body }] of OF_ROUTES.entries())
    for (const check of someOf(CHECKS, shift, 1)) {
      const sent = withText(body, FORBIDDEN[check])
      if (!sent) continue
      test(`${check}: ${name}`, async () => {
        guarded.forget()
        const reply = await post(path, { body: sent })
        const text = (isJob || isBatch) && reply.ok ? await endOf(reply, get) : await reply.text()
        assert.deepEqual(guarded.spent(), [])
        assert.ok(text.includes(`'${check}'`), text)
        assert.ok(reply.status === 403 || (reply.ok && (isJob || isBatch || isEvents || isTool)), `${reply.status}`)
      })
    }
})

type Said = { whole: object; deltas: object[]; index?: number; beside?: 'chunk' | 'choice' }

/** Where text can be in an answer; a stream has it in two pieces. */
const ANSWERED: Record<string, { of(one: string, two: string): Said; isChat?: boolean }> = {
  content: { of: (one, two) => ({ whole: { content: one + two }, deltas: [{ content: one }, { content: two }] }) },
  reasoning: {
    of: (one, two) => ({
      whole: { content: 'x', reasoning_content: one + two },
      deltas: [{ reasoning_content: one }, { reasoning_content: two }, { content: 'x' }],
    }),
  },
  arguments: {
    of: (one, two) => {
      const called = { index: 0, id: 'c1', type: 'function' }
      const [begin, end] = [`{"a":"${one}`, `${two}"}`]
      return {
        whole: { content: null, tool_calls: [{ ...called, function: { name: 'f', arguments: begin + end } }] },
        deltas: [
          { tool_calls: [{ ...called, function: { name: 'f', arguments: begin } }] },
          { tool_calls: [{ index: 0, function: { arguments: end } }] },
        ],
      }
    },
  },
  'a refusal': {
    of: (one, two) => ({ whole: { content: null, refusal: one + two }, deltas: [{ refusal: one }, { refusal: two }] }),
  },
  'the title of a source': {
    of: (one, two) => {
      const url_citation = { url: 'https://a.example/', title: one + two, start_index: 0, end_index: 1 }
      const annotations = [{ type: 'url_citation', url_citation }]
      return { whole: { content: 'x', annotations }, deltas: [{ content: 'x' }, { annotations }] }
    },
  },
  'another choice': {
    isChat: true,
    of: (one, two) => ({ whole: { content: one + two }, deltas: [{ content: one }, { content: two }], index: 1 }),
  },
  'an unknown member': {
    isChat: true,
    of: (one, two) => ({
      whole: { content: 'x', extra: { deep: one + two } },
      deltas: [{ extra: { deep: one } }, { extra: { deep: two } }, { content: 'x' }],
    }),
  },
  'a member of the choice': {
    isChat: true,
    of: (one, two) => ({ whole: { extra: one + two }, deltas: [{ extra: one }, { extra: two }], beside: 'choice' }),
  },
  'a member beside the choices': {
    isChat: true,
    of: (one, two) => ({ whole: { extra: one + two }, deltas: [{ extra: one }, { extra: two }], beside: 'chunk' }),
  },
}

/** A provider that says this, whole or as a stream. */
function saying({ whole, deltas, index = 0, beside }: Said): Behaviour {
  const [role, , ...ends] = textEvents('')
  const head: Chunk = { ...role!, choices: [] }
  const chunk = (delta: object, finish: string | null, at: number): Chunk => {
    const choice = { index: at, delta: beside ? {} : { ...delta }, finish_reason: finish, logprobs: null }
    return { ...head, ...(beside === 'chunk' && delta), choices: [{ ...choice, ...(beside === 'choice' && delta) }] }
  }
  const others = Array.from({ length: index }, (_, at) => chunk({ content: 'Nothing.' }, 'stop', at))
  const events = [
    ...others,
    ...deltas.map((delta) => chunk(delta, null, index)),
    chunk({}, 'stop', index),
    ends.at(-1)!,
  ]
  const message = { role: 'assistant', content: 'Nothing.', ...(!beside && whole) }
  const choices = Array.from({ length: index + 1 }, (_, at) => {
    const own = at === index ? message : { role: 'assistant', content: 'Nothing.' }
    return { index: at, message: own, finish_reason: 'stop', ...(beside === 'choice' && whole) }
  })
  const body = { ...head, object: 'chat.completion', choices, usage: SOME_USAGE, ...(beside === 'chunk' && whole) }
  return (request, response) => {
    if ((request.body as { stream?: boolean }).stream) return stream(events)(request, response)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
}

/** Whether a reader sees the word: in one piece, or when the pieces of equal places are put together. */
function shows(raw: string, word: string): boolean {
  const texts = new Map<string, string>()
  const collect = (value: unknown, place: string): void => {
    if (typeof value === 'string') texts.set(place, (texts.get(place) ?? '') + value)
    else if (Array.isArray(value)) for (const one of value) collect(one, place)
    else if (isRecord(value)) for (const [name, one] of Object.entries(value)) collect(one, `${place}.${name}`)
  }
  for (const [, json] of raw.matchAll(/^(?:data: )?(\{.*)$/gm)) collect(JSON.parse(json!), '')
  return raw.includes(word) || [...texts.values()].some((text) => text.includes(word))
}

type Asked = { status: number; raw: string }
type Ask = (isStream: boolean, more: object) => Promise<Asked>
type Way = { ask: Ask; filtered: string; hasTools: boolean }

async function told(reply: Response): Promise<Asked> {
  return { status: reply.status, raw: await reply.text() }
}

/** Every way to ask a chat. */
const WAYS: Record<string, Way> = {
  ...Object.fromEntries(
    Object.entries(CLIENT_FORMATS).map(([name, format]): [string, Way] => {
      const ask: Ask = async (isStream, more) =>
        told(
          await post(format.path('fake/priced', isStream), {
            body: { ...format.body('fake/priced', isStream), ...more },
          }),
        )
      return [name, { ask, filtered: format.words.filtered, hasTools: name !== 'completions' }]
    }),
  ),
  'responses in the background': {
    filtered: 'incomplete',
    hasTools: true,
    ask: async (isStream) => {
      const body = { model: 'fake/priced', input: 'Hello', background: true, stream: isStream }
      const reply = await post('/v3/responses', { body })
      return isStream ? await told(reply) : { status: 200, raw: await endOf(reply, get) }
    },
  },
  'responses over a WebSocket': { filtered: 'incomplete', hasTools: true, ask: overSocket },
}

async function overSocket(): Promise<Asked> {
  const url = `${guarded.scene.gateway.url.replace('http', 'ws')}/v3/responses`
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${API_KEY}` } })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const frames: string[] = []
  const ended = new Promise<void>((resolve) => {
    socket.on('message', (data) => {
      frames.push(String(data))
      if (/^\{"type":"(?:error|response\.(?:completed|incomplete|failed))"/.test(frames.at(-1)!)) resolve()
    })
  })
  socket.send(JSON.stringify({ type: 'response.create', model: 'fake/priced', input: 'Hello' }))
  await ended
  socket.close()
  return { status: 200, raw: frames.join('\n') }
}

for (const action of ['block', 'redact'] as const)
  describe(`a forbidden text of an answer reaches no caller: ${action}`, () => {
    before(() => guarded.guard(action))

    const rows = Object.entries(WAYS).flatMap(([way, { ask, filtered, hasTools }]) =>
      Object.entries(ANSWERED)
        .filter(([place, { isChat }]) => (isChat ? way === 'chat' : hasTools || place === 'content'))
        .map(([place, { of }]) => ({ way, ask, filtered, place, of })),
    )
    for (const [shift, { way, ask, filtered, place, of }] of rows.entries())
      for (const check of someOf(CHECKS, shift + (action === 'block' ? 0 : 1), 1))
        test(`${check}: ${way}, ${place}`, async () => {
          const word = FORBIDDEN[check]
          const cuts = Array.from({ length: word.length + 1 }, (_, at) => at)
          const more = place === 'another choice' ? { n: 2 } : {}
          for (const [isStream, at] of [[false, 0], ...someOf(cuts, shift, 2).map((cut) => [true, cut])] as [
            boolean,
            number,
          ][]) {
            guarded.says(saying(of(`It is ${word.slice(0, at)}`, `${word.slice(at)} there.`)))
            const { status, raw } = await ask(isStream, more)
            const where = `${isStream ? `a stream cut at ${at}` : 'whole'}: ${status} ${raw}`
            assert.ok(!shows(raw, word), where)
            if (action === 'block')
              assert.ok(status === 403 || /guardrail_blocked/.test(raw) || raw.includes(filtered), where)
            else assert.ok(status === 200 || status === 403, where)
          }
        })
  })

test('a text that nothing forbids passes everywhere', async () => {
  await guarded.guard('block')
  for (const [way, { ask }] of Object.entries(WAYS))
    for (const isStream of [false, true]) {
      guarded.says(saying(ANSWERED.content!.of('It is a spar', 'row there.')))
      const { status, raw } = await ask(isStream, {})
      assert.ok(status === 200 && shows(raw, 'sparrow'), `${way} ${raw}`)
    }
})
