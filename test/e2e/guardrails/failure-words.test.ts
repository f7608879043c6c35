import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { answer, type Behaviour, failure } from '../../fakes/behaviours.ts'
import { imageEvents } from '../../fakes/images.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import { stream } from '../../fakes/stream.ts'
import { CLIENT_FORMATS } from '../../gateway/client-formats.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { endOf } from '../../gateway/spending-gateway.ts'
import { isOfPlayground, ROUTES } from '../../gateway/spending-routes.ts'
import { FORBIDDEN, type GuardedGateway, LOCAL, startGuardedGateway } from './guarded-gateway.ts'

// What a provider says about a failure is a text of the provider like its answers, and guardrails hold for it.

const MODEL = 'fake/priced'
const WORD = FORBIDDEN.patterns
const SAYS = { message: `There is a ${WORD} here.`, code: `no_${WORD} ${WORD}`, param: `the ${WORD}`, type: WORD }
const HARMLESS = { message: 'There is a sparrow here.', type: 'server_error' }
const KEPT_BACK = 'A guardrail keeps back the reason.'

let guarded: GuardedGateway
before(async () => {
  guarded = await startGuardedGateway()
})
after(() => guarded.close())

function post(path: string, body: object, more: Record<string, string> = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${API_KEY}`, ...more }
  const url = guarded.scene.gateway.url + path
  if (body instanceof FormData) return fetch(url, { method: 'POST', headers, body })
  return guarded.scene.post(path, body, more)
}

const get = (path: string) =>
  fetch(guarded.scene.gateway.url + path, { headers: { authorization: `Bearer ${API_KEY}` } })

const ERROR_EVENT = /^data: .*"error"(?::[^n]|,).*\r?\n\r?\n/m

/** What arrives of an answer, which may break off. */
async function told(asked: Promise<Response>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const bytes of (await asked).body ?? []) {
      text += decoder.decode(bytes, { stream: true })
      // An error is the last event, and the connection is closed some time after it.
      if (ERROR_EVENT.test(text)) return text
    }
  } catch {
    // A broken chat has no proper end of its body.
  }
  return text
}

function brokenStream(error: object): Behaviour {
  const [role, words] = textEvents('Fine so far. ')
  return stream([role!, words!, { error }], { end: 'clean' })
}

/** How a provider fails: with the status of a fault of the caller, or its own, and in the middle of a stream. */
const FAILS: Record<string, { isStream: boolean; as(error: object): Behaviour }> = {
  'a refused request': { isStream: false, as: (error) => failure(400, error) },
  'a fault of the provider': { isStream: false, as: (error) => failure(500, error) },
  'a stream that does not begin': { isStream: true, as: (error) => failure(422, error) },
  'a stream that breaks off': { isStream: true, as: brokenStream },
}

for (const name of ['chat', 'messages', 'responses', 'gemini', 'cohere', 'completions'])
  describe(`in the format ${name}`, () => {
    const format = CLIENT_FORMATS[name]!
    for (const [what, { isStream, as }] of Object.entries(FAILS)) {
      const ask = (error: object) => {
        guarded.says(as(error))
        return told(post(format.path(MODEL, isStream), format.body(MODEL, isStream)))
      }

      test(`${what}: the caller does not get what is found in it`, async () => {
        for (const action of ['redact', 'block'] as const) {
          await guarded.guard(action, ['patterns'])
          const text = await ask(SAYS)
          assert.ok(!text.includes(WORD) && text.includes(KEPT_BACK), text)
          const passed = await ask(HARMLESS)
          assert.ok(passed.includes(HARMLESS.message), passed)
        }
      })

      test(`${what}: it passes as it is if no guardrail of answers may change it`, async () => {
        await guarded.guard('flag', ['patterns'])
        assert.ok((await ask(SAYS)).includes(SAYS.message))
        await guarded.guard('block', ['patterns'], { mode: 'shadow' })
        assert.ok((await ask(SAYS)).includes(SAYS.message))
        await guarded.guard('redact', ['patterns'], { phases: ['input'] })
        assert.ok((await ask(SAYS)).includes(SAYS.message))
        await guarded.guard('flag', [])
        assert.ok((await ask(SAYS)).includes(SAYS.message))
      })

      test(`${what}: a service cannot be asked any more, so nothing of it passes`, async () => {
        await guarded.guard('block', ['external'])
        for (const error of [SAYS, HARMLESS]) {
          const text = await ask(error)
          assert.ok(!text.includes(error.message) && text.includes(KEPT_BACK), text)
        }
        await guarded.guard('flag', ['external'])
        const passed = await ask(SAYS)
        assert.ok(passed.includes(SAYS.message), passed)
      })
    }
  })

describe('every route that reaches a provider', () => {
  for (const [route, sent] of Object.entries(ROUTES)) {
    const path = route.slice('POST '.length)
    if (typeof sent === 'string' || isOfPlayground(path)) continue
    for (const [at, one] of sent.entries())
      test(`${route} (${at})`, async () => {
        await guarded.guard('redact', LOCAL)
        guarded.says(failure(400, SAYS))
        const reply = await post(one.path ?? path, one.body)
        const text = (one.isJob || one.isBatch) && reply.ok ? await endOf(reply, get) : await reply.text()
        assert.ok(!text.includes(WORD), text)
      })
  }
})

test('a streamed image breaks off: the caller does not get what is found in the reason', async () => {
  const image = { model: 'openai/gpt-image-2.5-sunburst', prompt: 'A door', stream: true, partial_images: 1 }
  const [partial] = imageEvents({ path: '/generations' }, 1)
  for (const action of ['flag', 'redact'] as const) {
    await guarded.guard(action, ['patterns'])
    guarded.says(stream([partial!, { type: 'error', error: SAYS }], { end: 'clean' }))
    const text = await told(post('/v3/images/generations', image))
    assert.ok(text.includes('partial_image'), text)
    assert.deepEqual([text.includes(WORD), text.includes(KEPT_BACK)], [action === 'flag', action === 'redact'], text)
  }
})

test('a fallback answers: nothing of what the first provider said is in the metadata, and nothing is reported', async () => {
  await guarded.guard('block', ['patterns'])
  guarded.says((request, response) => {
    const { model } = request.body as { model: string }
    return (model === 'priced' ? failure(500, SAYS) : answer())(request, response)
  })
  const { body } = CLIENT_FORMATS.chat!
  const asked = { ...body(MODEL, false), fallbacks: ['fake/other'] }
  const reply = await post('/v3/chat/completions', asked, { 'x-gatehouse-metadata': 'enabled' })
  const { gatehouse } = (await reply.clone().json()) as { gatehouse: { attempts: object[]; guardrails: object[] } }
  assert.equal(gatehouse.attempts.length, 2)
  assert.deepEqual(gatehouse.guardrails, [
    { guardrail: 'patterns', check: null, outcome: 'passed', count: 0, rules: [] },
  ])
  assert.ok(!(await reply.text()).includes(WORD))
})

test('clients still learn that a prompt is too long, and when to ask again', async () => {
  await guarded.guard('redact', ['patterns'])
  const { body, path } = CLIENT_FORMATS.chat!
  guarded.says(failure(400, { ...SAYS, code: 'context_length_exceeded' }))
  const tooLong = (await (await post(path(MODEL, false), body(MODEL, false))).json()) as { error: object }
  assert.deepEqual(tooLong.error, {
    message: `Your input exceeds the context window of this model. fake failed (context_length, status 400). ${KEPT_BACK}`,
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
    param: null,
  })
  guarded.says(failure(429, SAYS, { 'retry-after': '100' }))
  const limited = await post(path(MODEL, false), body(MODEL, false))
  assert.deepEqual([limited.status, limited.headers.get('retry-after')], [429, '100'])
  assert.ok(!(await limited.text()).includes(WORD))
})

test('the request log has what was found, and for operators the reason as the provider said it', async () => {
  const { body, path } = CLIENT_FORMATS.chat!
  for (const [action, outcome] of [
    ['redact', 'redacted'],
    ['flag', 'flagged'],
  ] as const) {
    await guarded.guard(action, ['patterns'])
    guarded.says(failure(400, { ...HARMLESS, message: SAYS.message }))
    await post(path(MODEL, false), body(MODEL, false))
    await guarded.scene.gateway.gateway.services.calls.ledger.flush()
    const [{ id }] = (await read('/admin/requests?limit=1')).items as [{ id: string }]
    const { guardrails, attempt_list: attempts } = await read(`/admin/requests/${id}`)
    const found = { guardrail: 'patterns', check: 'patterns', outcome, count: 1, found: ['word 0'] }
    assert.deepEqual((guardrails as object[]).at(-1), found)
    assert.ok(JSON.stringify(attempts).includes(SAYS.message), JSON.stringify(attempts))
  }
})

async function read(path: string): Promise<Record<string, unknown>> {
  return (await (await guarded.scene.admin('GET', path)).json()) as Record<string, unknown>
}
