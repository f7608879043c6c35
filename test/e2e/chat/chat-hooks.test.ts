import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answer } from '../../fakes/behaviours.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import { stream } from '../../fakes/stream.ts'
import { ASK } from '../../gateway/chat-client.ts'
import { gatewayForAll } from '../../gateway/gateway-with-fakes.ts'

const { chat, openai, gateway } = await gatewayForAll()

const METADATA = { headers: { 'x-gatehouse-metadata': 'enabled' } }
const MAIL = { role: 'user', content: 'Write to anna@example.org about card 4111 1111 1111 1111.' }

type Seen = { messages: { role: string; content: string }[] }
type Metadata = { hooks: { action: string; phase: string; duration_ms: number }[] }

test('personal data does not reach the provider, and is back in the answer, whole and streamed', async () => {
  const echo = (text: string) => text.replace(/^.*?(\[\w+_\d+\]).*?(\[\w+_\d+\]).*$/s, 'Told $1 about $2.')
  openai.always((request, response) => {
    const { messages, stream: streamed } = request.body as Seen & { stream?: boolean }
    const said = echo(messages[0]!.content)
    return (streamed ? stream(textEvents(said)) : answer({ content: said }))(request, response)
  })
  const body = { ...ASK, messages: [MAIL], pre_hooks: [{ action: 'redact_pii', params: { restore: true } }] }
  const expected = 'Told anna@example.org about 4111 1111 1111 1111.'
  const whole = await chat.whole(body, METADATA)
  assert.equal(whole.completion.choices[0]!.message.content, expected)
  const { hooks } = whole.completion.gatehouse as Metadata
  assert.deepEqual(
    hooks.map(({ action, phase }) => [action, phase]),
    [
      ['redact_pii', 'pre'],
      ['restore_pii', 'post'],
    ],
  )
  assert.ok(hooks.every(({ duration_ms }) => duration_ms >= 0))
  const streamed = await chat.stream(body)
  assert.equal(streamed.chunks.map(({ choices }) => choices[0]?.delta?.content ?? '').join(''), expected)
  assert.equal(streamed.done, 1)
  for (const { text } of openai.requests) {
    assert.ok(!text.includes('anna@example.org') && !text.includes('4111'), text)
    assert.ok(!text.includes('pre_hooks'), text)
  }
  assert.ok(!gateway.logs().includes('anna@example.org'))
})

test('hooks run in the order in which they are named', async () => {
  const pre_hooks = [
    { action: 'system_prompt', params: { text: 'Be kind.' } },
    { action: 'block_patterns', params: { words: ['kind'] } },
  ]
  const { status, failure } = await chat.whole({ ...ASK, pre_hooks: [...pre_hooks].reverse() })
  assert.deepEqual([status, failure.error?.code], [200, undefined])
  const seen = openai.requests[0]!.body as Seen
  assert.deepEqual([seen.messages[0]!.role, seen.messages[0]!.content], ['system', 'Be kind.'])
})

test('what a pattern blocks costs no call; what it blocks in an answer is an error, in a stream too', async () => {
  const hook = { action: 'block_patterns', params: { words: ['secret sauce'] } }
  const request = await chat.whole({
    ...ASK,
    messages: [{ role: 'user', content: 'The secret sauce?' }],
    pre_hooks: [hook],
  })
  assert.deepEqual([request.status, request.failure.error.code, openai.requests.length], [400, 'content_blocked', 0])
  openai.next(answer({ content: 'It is the secret sauce.' }))
  const whole = await chat.whole({ ...ASK, post_hooks: [hook] })
  assert.deepEqual([whole.status, whole.failure.error.code], [400, 'content_blocked'])
  openai.next(stream(textEvents('Well now, it is the secret sauce, of course.')))
  const streamed = await chat.stream({ ...ASK, post_hooks: [hook] })
  assert.deepEqual([streamed.done, streamed.errors.length], [0, 1])
  assert.equal(streamed.errors[0]!.error.code, 'content_blocked')
  assert.ok(!streamed.text.includes('secret'))
})

test('broken JSON is healed, and requested once more if the hook says so', async () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  const heal = { action: 'json_heal', params: { json_schema: schema, retry: true } }
  openai.next(answer({ content: 'Sure! ```json\n{"city": "Zürich",}\n```' }))
  const healed = await chat.whole({ ...ASK, post_hooks: [heal] })
  assert.deepEqual(JSON.parse(healed.completion.choices[0]!.message.content!), { city: 'Zürich' })
  openai.next(answer({ content: '{"town": "Zürich"}' }))
  openai.next(answer({ content: '{"city": "Bern"}' }))
  const again = await chat.whole({ ...ASK, post_hooks: [heal] })
  assert.deepEqual(JSON.parse(again.completion.choices[0]!.message.content!), { city: 'Bern' })
  assert.equal(openai.requests.length, 3)
})

test('an unknown action and wrong parameters are 422 at their place, before any call', async () => {
  const pre_hooks = [{ action: 'run_code' }, { action: 'trim_history', params: { max_tokens: 'many' } }]
  const { status, failure } = await chat.whole({ ...ASK, pre_hooks })
  assert.equal(status, 422)
  const places = failure.detail!.map(({ loc }) => loc.join('.'))
  assert.ok(places.includes('body.pre_hooks.0.action'), String(places))
  assert.ok(
    places.some((place) => place.startsWith('body.pre_hooks.1.params')),
    String(places),
  )
  assert.equal(openai.requests.length, 0)
})

test('moderation with the sandbox: flagged in the metadata, and counted', async () => {
  const pre_hooks = [{ action: 'moderate', params: { provider: 'sandbox', mode: 'flag' } }]
  const { status, completion } = await chat.whole({ ...ASK, pre_hooks }, METADATA)
  assert.equal(status, 200)
  assert.deepEqual(
    (completion.gatehouse as Metadata).hooks.map(({ action }) => action),
    ['moderate'],
  )
})
