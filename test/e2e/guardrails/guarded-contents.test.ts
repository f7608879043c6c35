import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { RequestContent } from '../../../src/contract/admin/content.ts'
import { answer } from '../../fakes/behaviours.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import { stream } from '../../fakes/stream.ts'
import { type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'

// What is kept of calls that guardrails have changed or refused, also of projects that keep everything.

const WORD = 'xylophone'
const PERSON = 'zoe@example.com'

let scene: LimitsGateway
before(async () => {
  scene = await startLimitsGateway()
  const content = { mode: 'full' }
  assert.equal((await scene.admin('PATCH', '/admin/projects/default', { content })).status, 200)
})
after(() => scene.close())
beforeEach(() => scene.fake.reset())

async function guard(guardrail: object): Promise<void> {
  await scene.limit({ guardrails: [{ id: 'words', appliesTo: 'all', ...guardrail }] })
}

async function keptOf(reply: Response): Promise<Pick<RequestContent, 'request' | 'answer'>> {
  await reply.text()
  await scene.gateway.gateway.services.calls.contents.written()
  const found = await scene.admin('GET', `/admin/requests/${reply.headers.get('x-request-id')}/content`)
  assert.equal(found.status, 200)
  const { request, answer } = (await found.json()) as RequestContent
  return { request, answer }
}

const say = (content: string, more: object = {}) => scene.chat({ messages: [{ role: 'user', content }], ...more })
const words = { checks: [{ check: 'patterns', words: [WORD] }] }

test('what a guardrail has replaced is not kept', async () => {
  await guard({ ...words, action: 'redact' })
  scene.fake.always(answer({ content: `A ${WORD}, of course.` }))
  const kept = JSON.stringify(await keptOf(await say(`The ${WORD} plays.`)))
  assert.ok(kept.includes('The [REDACTED_1] plays.') && kept.includes('A [REDACTED_'), kept)
  assert.ok(!kept.includes(WORD))
  const body = { model: 'fake/priced', input: [`The ${WORD} plays.`] }
  const embedded = JSON.stringify(await keptOf(await scene.post('/v3/embeddings', body)))
  assert.ok(embedded.includes('The [REDACTED_1] plays.') && !embedded.includes(WORD), embedded)
})

test('what only the format of a client says is not kept either', async () => {
  await guard({ ...words, action: 'redact' })
  scene.fake.always(answer({ content: 'Yes.' }))
  const messages = [{ role: 'user', content: 'Hello' }]
  const body = { model: 'fake/priced', max_tokens: 9, messages, container: { note: `The ${WORD} plays.` } }
  const kept = JSON.stringify(await keptOf(await scene.post('/v3/v1/messages', body)))
  assert.ok(kept.includes('Hello') && !kept.includes(WORD), kept)
})

test('nothing is kept of a request that a guardrail has refused', async () => {
  await guard({ ...words, action: 'block' })
  for (const reply of [
    await say(`The ${WORD} plays.`),
    await scene.post('/v3/embeddings', { model: 'fake/priced', input: [`The ${WORD} plays.`] }),
  ]) {
    assert.equal(reply.status, 403)
    const { request } = await keptOf(reply)
    assert.equal(request, '[withheld: a guardrail did not let it pass]')
  }
})

test('a request in which nothing was found is kept as it was sent', async () => {
  await guard({ ...words, action: 'block' })
  scene.fake.always(answer({ content: 'Yes.' }))
  const { request } = await keptOf(await say('A sparrow.', { temperature: 0.5 }))
  assert.deepEqual(request, {
    model: 'fake/priced',
    max_tokens: 1_000,
    temperature: 0.5,
    messages: [{ role: 'user', content: 'A sparrow.' }],
  })
})

test('the caller gets what was replaced back; what is kept has placeholders, whole and streamed', async () => {
  await guard({ checks: [{ check: 'personal_data', restore: true }], action: 'redact', phases: ['input'] })
  scene.fake.always((request, response) => {
    const isStream = (request.body as { stream?: boolean }).stream
    const text = 'I wrote to [EMAIL_1].'
    return (isStream ? stream(textEvents(text)) : answer({ content: text }))(request, response)
  })
  for (const isStream of [false, true]) {
    const reply = await say(`Write to ${PERSON}.`, { stream: isStream })
    const told = await reply.clone().text()
    assert.ok(told.includes(PERSON), told)
    const kept = JSON.stringify(await keptOf(reply))
    assert.ok(kept.includes('Write to [EMAIL_1].') && kept.includes('I wrote to [EMAIL_1].'), kept)
    assert.ok(!kept.includes(PERSON))
  }
})
