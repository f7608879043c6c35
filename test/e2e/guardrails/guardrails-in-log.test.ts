import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { answer } from '../../fakes/behaviours.ts'
import { type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'

// What the request log says about guardrails, and which calls it finds by them.

let scene: LimitsGateway
before(async () => {
  scene = await startLimitsGateway()
  const patterns = (word: string) => [{ check: 'patterns', words: [word] }]
  await scene.limit({
    guardrails: [
      { id: 'birds', appliesTo: 'all', checks: patterns('falcon'), action: 'redact' },
      { id: 'prey', appliesTo: 'all', checks: patterns('vulture'), action: 'block' },
      { id: 'later', appliesTo: 'all', checks: patterns('falcon'), action: 'block', mode: 'shadow', phases: ['input'] },
    ],
  })
})
after(() => scene.close())
beforeEach(() => scene.fake.reset())

type Shown = { id: string; guardrails: object[] }

async function asked(content: string): Promise<Shown> {
  scene.fake.next(answer({ content: 'Yes.' }))
  const reply = await scene.chat({ messages: [{ role: 'user', content }] })
  const shown = await scene.admin('GET', `/admin/requests/${reply.headers.get('x-request-id')}`)
  return (await shown.json()) as Shown
}

async function found(guardrail: string): Promise<string[]> {
  const reply = await scene.admin('GET', `/admin/requests?guardrail=${guardrail}`)
  return ((await reply.json()) as { items: Shown[] }).items.map(({ id }) => id)
}

test('a call shows what guardrails did with it, and is found by it', async () => {
  const quiet = await asked('a sparrow')
  const hidden = await asked('a falcon and a falcon')
  const blocked = await asked('a vulture')
  assert.deepEqual(quiet.guardrails, [])
  assert.deepEqual(hidden.guardrails, [
    { guardrail: 'birds', outcome: 'redacted', check: 'patterns', count: 2, found: ['word 0'] },
    { guardrail: 'later', outcome: 'would_block', check: 'patterns', count: 2, found: ['word 0'] },
  ])
  assert.deepEqual(blocked.guardrails, [
    { guardrail: 'prey', outcome: 'blocked', check: 'patterns', count: 1, found: ['word 0'] },
  ])
  assert.ok(!JSON.stringify([hidden, blocked]).match(/falcon|vulture/), 'no text')
  assert.deepEqual(await found('birds'), [hidden.id])
  assert.deepEqual(await found('later:would_block'), [hidden.id])
  assert.deepEqual(await found('later:flagged'), [])
  assert.deepEqual(await found('prey:blocked'), [blocked.id])
  assert.deepEqual(await found('birds:passed'), [blocked.id, quiet.id])
  const refused = await scene.admin('GET', '/admin/requests?guardrail=birds:eaten')
  assert.equal(refused.status, 422)
})
