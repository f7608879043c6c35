import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { answer } from '../../fakes/behaviours.ts'
import { errorIn, type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'

// A guardrail in the store that another version has written: what it demands is not known.

let scene: LimitsGateway
before(async () => {
  scene = await startLimitsGateway()
})
after(() => scene.close())

const store = (sql: string, ...values: string[]) => scene.gateway.gateway.services.calls.db.query(sql, values)
const create = (id: string, applies_to: string, word: string) =>
  scene.admin('POST', '/admin/guardrails', {
    id,
    applies_to,
    action: 'block',
    checks: [{ check: 'patterns', words: [word] }],
  })

const FACES = '/v3/universal-ai/collections/00000000-0000-4000-8000-000000000000/items'

/** As another version would have written it. The next read of any guardrail reads it, too. */
async function damage(id: string, settings: string): Promise<void> {
  await store('UPDATE guardrails SET settings = $2 WHERE id = $1', id, settings)
  assert.equal((await create(`after-${id}`, 'project:elsewhere', 'x')).status, 201)
}

test('it refuses the calls that it applies to, and no others; the rest of the guardrails hold', async () => {
  scene.fake.always(answer())
  await create('birds', 'all', 'falcon')
  await create('other', 'project:other', 'x')
  for (const settings of ['{"checks":[{"check":"of_tomorrow"}]}', 'no JSON']) {
    await damage('other', settings)
    assert.equal((await scene.chat()).status, 200)
    assert.equal((await scene.chat({ messages: [{ role: 'user', content: 'a falcon' }] })).status, 403)
    await create('here', 'project:default', 'x')
    await damage('here', settings)
    for (const body of [{}, { stream: true }]) {
      const { code, guardrail, message } = await errorIn(await scene.chat(body), 503)
      assert.deepEqual([code, guardrail], ['guardrail_failed', 'here'])
      assert.match(String(message), /cannot be read by this version/)
    }
    // An endpoint that guardrails do not see.
    assert.equal((await scene.post(FACES, { file: 'x' })).status, 403)
    assert.match(scene.gateway.logs(), /a guardrail in the store cannot be read by this version.*\/admin\/guardrails/)
    const shown = await errorIn(await scene.admin('GET', '/admin/guardrails/here'), 409)
    assert.match(String(shown.message), /cannot be read/)
    for (const id of ['here', 'after-here', 'after-other'])
      assert.equal((await scene.admin('DELETE', `/admin/guardrails/${id}`)).status, 204, id)
    assert.equal((await scene.chat()).status, 200)
  }
})

test('it refuses all calls if nothing says whom it applies to', async () => {
  scene.fake.always(answer())
  await create('lost', 'project:other', 'x')
  await store("UPDATE guardrails SET holder = 'planet' WHERE id = $1", 'lost')
  await damage('lost', '{}')
  assert.equal((await scene.chat()).status, 503)
})
