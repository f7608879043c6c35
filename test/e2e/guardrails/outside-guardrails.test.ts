import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { answer, silence, status } from '../../fakes/behaviours.ts'
import { service } from '../../fakes/guard-services/service.ts'
import { type Chunk, textEvents, toolEvents } from '../../fakes/openai-events.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { stream } from '../../fakes/stream.ts'
import { chatClient } from '../../gateway/chat-client.ts'
import { type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'
import { isRecord, listOf, textOf } from '../../../src/base/schema/record.ts'

// Guardrails whose checks ask a service outside of the gateway, on chats, whole and streamed.

const MODEL = 'fake/priced'

let scene: LimitsGateway
let checker: FakeProvider
before(async () => {
  checker = await startFakeProvider({ everyPath: true })
  scene = await startLimitsGateway()
})
after(async () => {
  await scene.close()
  await checker.close()
})
beforeEach(() => {
  scene.fake.reset()
  checker.reset()
  checker.always(replaces)
})

const textsIn = (body: { texts?: unknown }) => listOf(body.texts).map((one) => (isRecord(one) ? textOf(one.text) : ''))

/** Replaces one word, and refuses another. */
const replaces = service((body) => {
  const texts = textsIn(body)
  if (texts.some((one) => one.includes('vulture'))) return { action: 'block', reasons: ['prey'] }
  if (!texts.some((one) => one.includes('falcon'))) return { action: 'allow' }
  return { action: 'redact', texts: texts.map((one) => one.replaceAll('falcon', '<bird>')), reasons: ['bird'] }
})

async function guard(entry: object): Promise<void> {
  const checks = [{ check: 'external', url: `${checker.url}/check` }]
  await scene.limit({ guardrails: [{ id: 'birds', appliesTo: 'all', checks, ...entry }] })
}

function inPieces(text: string, size: number): Chunk[] {
  const events = textEvents('')
  const role = events[0]!
  const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
  const deltas = pieces.map((content) => ({ ...role, choices: [{ ...role.choices[0]!, delta: { content } }] }))
  return [role, ...deltas, ...events.slice(1)]
}

const chat = () => chatClient(scene.gateway.url)
const ask = (content = 'Hello') => ({ model: MODEL, messages: [{ role: 'user', content }] })

async function streamed(text: string, size: number) {
  scene.fake.always(stream(inPieces(text, size)))
  const reply = await chat().stream(ask())
  return { ...reply, said: reply.chunks.map(({ choices }) => choices[0]?.delta?.content ?? '').join('') }
}

const LONG = Array.from(
  { length: 60 },
  (_, at) => `Sentence number ${at} is about a falcon${at % 3 === 0 ? '.' : ','}`,
).join(' ')

test('a stream is released in windows, and nothing hides in the cut between two of them', async () => {
  await guard({ action: 'redact', phases: ['output'] })
  for (const size of [7, 90, 5_000]) {
    const { said, errors, done } = await streamed(LONG, size)
    assert.deepEqual([said, errors, done], [LONG.replaceAll('falcon', '<bird>'), [], 1], `in pieces of ${size}`)
  }
})

test('arguments in a stream are checked also if nothing else of an answer is, and texts pass at once then', async () => {
  const call = { id: 'call_1', name: 'lookup', arguments: '{"bird":"a falcon"}' }
  scene.fake.always(stream(toolEvents([call])))
  await guard({ action: 'redact', phases: ['tool_arguments'] })
  const tools = [{ type: 'function', function: { name: 'lookup' } }]
  const { chunks } = await chat().stream({ ...ask(), tools })
  const calls = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])
  assert.deepEqual(
    calls.map(({ function: called }) => called?.arguments),
    ['{"bird":"a <bird>"}'],
  )
  const { said, chunks: pieces } = await streamed('A falcon flies here.', 5)
  assert.equal(said, 'A falcon flies here.')
  assert.ok(pieces.filter(({ choices }) => choices[0]?.delta?.content).length > 1)
})

test('a whole answer is rewritten, and so is a request before a provider sees it', async () => {
  await guard({ action: 'redact' })
  scene.fake.always(answer({ content: LONG }))
  const { completion, headers } = await chat().whole(ask('What is a falcon?'))
  assert.equal(completion.choices[0]!.message.content, LONG.replaceAll('falcon', '<bird>'))
  assert.equal(headers.get('x-gatehouse-guardrails'), 'birds=redacted(2)')
  assert.ok(scene.fake.requests[0]!.text.includes('What is a <bird>?'))
})

test('a block ends the stream behind what was released before, and a blocked request reaches no provider', async () => {
  await guard({ action: 'block' })
  const { said, chunks, done, errors } = await streamed(
    `${LONG.replaceAll('falcon', 'tit')} And a vulture. ${LONG}`,
    50,
  )
  assert.ok(said.length > 500 && !said.includes('vulture') && LONG.replaceAll('falcon', 'tit').startsWith(said), said)
  assert.deepEqual([chunks.at(-1)?.choices[0]?.finish_reason, done, errors], ['content_filter', 1, []])
  scene.fake.reset()
  const refused = await chat().whole(ask('A vulture?'))
  assert.deepEqual(
    [refused.status, refused.failure.error.code, scene.fake.requests.length],
    [403, 'guardrail_blocked', 0],
  )
})

test('in a conversation only what is new is sent to the service', async () => {
  await guard({ action: 'block', phases: ['input'] })
  const turns = ['First.', 'Second.', 'Third.'].map((content) => ({ role: 'user', content }))
  for (let count = 1; count <= 3; count++) {
    scene.fake.always(answer({ content: 'Fine.' }))
    await chat().whole({ model: MODEL, messages: turns.slice(0, count) })
  }
  assert.deepEqual(
    checker.requests.map(({ body }) => textsIn(body as { texts?: unknown })),
    [['First.'], ['Second.'], ['Third.']],
  )
})

test('a service that fails means what the guardrail says; wrong credentials never let a text pass', async () => {
  scene.fake.always(answer({ content: 'Fine.' }))
  for (const [onError, fails, expected] of [
    ['closed', status(500, {}), 503],
    ['open', status(500, {}), 200],
    ['open', status(401, {}), 503],
  ] as const) {
    await guard({ action: 'block', phases: ['input'], onError })
    checker.reset()
    checker.always(fails)
    const { status: code, headers } = await chat().whole(ask(`Is it ${onError} ${expected}?`))
    assert.equal(code, expected)
    assert.match(headers.get('x-gatehouse-guardrails') ?? '', /^birds=unscanned\((failed|credentials)\)$/)
  }
  await guard({ action: 'block', phases: ['input'], onError: 'open', timeoutMs: 50 })
  checker.reset()
  checker.always(silence())
  assert.equal((await chat().whole(ask('Late?'))).headers.get('x-gatehouse-guardrails'), 'birds=unscanned(timeout)')
})

test('a guardrail that flags lets a stream pass, and says at its end what was found', async () => {
  await guard({ action: 'flag', phases: ['output'] })
  scene.fake.always(stream(inPieces(LONG, 40)))
  const { chunks } = await chat().stream(ask(), { headers: { 'x-gatehouse-metadata': 'enabled' } })
  assert.equal(chunks.map(({ choices }) => choices[0]?.delta?.content ?? '').join(''), LONG)
  const { guardrails } = chunks.findLast(({ gatehouse }) => gatehouse)!.gatehouse as {
    guardrails: { outcome: string }[]
  }
  assert.equal(guardrails.at(-1)?.outcome, 'flagged')
})

test('a service says how much of the end of a window waits, in both contracts, up to 2,000 characters', async () => {
  const words = Array.from({ length: 60 }, (_, at) => `word ${at}`).join(' ')
  const said = `${'Nothing here, '.repeat(20)}BEGIN ${words} END. ${'Nothing there, '.repeat(400)}`
  const hidden = said.replace(/BEGIN .* END/, '<hidden>')
  const waitingFor = (text: string) => (text.includes('BEGIN') ? text.length - text.indexOf('BEGIN') : 0)
  checker.always(
    service((body) => {
      const texts = body.texts as (string | { text: string })[]
      const read = texts.map((one) => (typeof one === 'string' ? one : one.text))
      const changed = read.map((text) => text.replace(/BEGIN .* END/, '<hidden>'))
      const isSame = changed.every((text, at) => text === read[at])
      const chars = changed.map(waitingFor)
      if ('litellm_call_id' in body) {
        const action = isSame ? 'NONE' : 'GUARDRAIL_INTERVENED'
        return { action, texts: changed, stream_holdback_chars: chars }
      }
      return isSame ? { action: 'allow', holdback_chars: chars } : { action: 'redact', texts: changed }
    }),
  )
  const url = `${checker.url}/check`
  for (const check of [{ url }, { url, contract: 'litellm' }]) {
    await guard({ action: 'redact', phases: ['output'], checks: [{ check: 'external', ...check }] })
    assert.equal((await streamed(said, 30)).said, hidden, JSON.stringify(check))
  }
  checker.always(service(() => ({ action: 'allow', holdback_chars: [1_000_000] })))
  await guard({ action: 'redact', phases: ['output'] })
  const { said: all, chunks } = await streamed(said, 30)
  assert.equal(all, said)
  const lengths = chunks.map(({ choices }) => choices[0]?.delta?.content?.length ?? 0)
  assert.ok(lengths.filter((length) => length > 0).length > 3 && Math.max(...lengths) <= 2_430, String(lengths))
})
