import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { silence, status } from '../../../test/fakes/behaviours.ts'
import { litellmService } from '../../../test/fakes/guard-services/external.ts'
import { presidio } from '../../../test/fakes/guard-services/presidio.ts'
import { ATTACK, EMAIL, SECRET } from '../../../test/fakes/guard-services/service.ts'
import { type FakeProvider, startFakeProvider } from '../../../test/fakes/provider.ts'
import { parseConfig } from '../../platform/config/config.ts'
import type { Guardrail } from '../../platform/config/guardrails/guardrail.ts'
import { guardrailOf } from '../../platform/config/guardrails/guardrail-entry.ts'
import { openUpstream, type Upstream } from '../../platform/net/upstream.ts'
import type { CheckedText } from '../../translation/guardrails/check.ts'
import { type Consequences, checkOutside, outsideSteps } from './outside-checks.ts'

const MINUTE = 60_000
const TIMEOUTS = { connectMs: MINUTE, headersMs: MINUTE, idleMs: MINUTE, firstTokenMs: MINUTE, totalMs: MINUTE }
const CONTEXT = {
  callId: 'c',
  endpoint: 'chat',
  model: 'm',
  organization: 'o',
  project: 'p',
  key: 'k',
  isStream: false,
}

let upstream: Upstream
let data: FakeProvider
let vendor: FakeProvider

before(async () => {
  upstream = openUpstream()
  data = await startFakeProvider({ everyPath: true })
  vendor = await startFakeProvider({ everyPath: true })
})
afterEach(() => {
  data.reset()
  vendor.reset()
})
after(async () => {
  await Promise.all([data.close(), vendor.close()])
  await upstream.close()
})

const addressOf = ({ url }: FakeProvider) => url.slice(0, -'/v1'.length)
const PRESIDIO = () => ({ check: 'presidio', endpoint: addressOf(data), entities: ['EMAIL_ADDRESS'] })
const VENDOR = () => ({
  check: 'external',
  url: `${addressOf(vendor)}/api`,
  contract: 'litellm',
  credential: 'env:GUARD_KEY',
})
const JUDGE = { check: 'judge', model: 'a/b', instructions: 'Nothing.' }

function guardrail(settings: Record<string, unknown>): Guardrail {
  const read = guardrailOf({ id: 'g', applies_to: 'all', timeout_ms: 30_000, ...settings }, 'file', [])
  return Array.isArray(read) ? assert.fail(JSON.stringify(read)) : read
}

type Options = { signal?: AbortSignal; judge?: () => Promise<string>; key?: string }

/** What passed, and what was said. Thrown consequences are said as well. */
async function run(guardrails: readonly Guardrail[], texts: readonly (string | CheckedText)[], options: Options = {}) {
  const said: string[] = []
  const say = (sentence: string) => {
    said.push(sentence)
    return new Error(sentence)
  }
  const consequences: Consequences = {
    found: ({ guardrail, name }, outcome, rules) => void say(`${guardrail.id} ${name} ${outcome} ${rules.join()}`),
    blocked: ({ guardrail, name }, rules) => say(`${guardrail.id} ${name} blocked ${rules.join()}`),
    unscanned: ({ guardrail, name }, reason) => void say(`${guardrail.id} ${name} unscanned ${reason}`),
    refused: ({ guardrail, name }, reason) => say(`${guardrail.id} ${name} refused ${reason}`),
    placeholder: (prefix) => `[${prefix}_1]`,
    holds: (chars) => said.push(`holds ${chars}`),
  }
  const checked = texts.map((text) => (typeof text === 'string' ? { text, phase: 'input' as const } : text))
  const left = await checkOutside(checked, outsideSteps(guardrails), {
    context: CONTEXT,
    signal: options.signal ?? new AbortController().signal,
    owner: 'owner-1',
    services: {
      config: parseConfig({
        environment: { GUARD_KEY: options.key ?? SECRET },
        file: { path: undefined, content: {} },
      }),
      send: upstream.send,
      timeouts: TIMEOUTS,
      now: () => 0,
      newId: () => 'msg_1',
      accessTokens: { tokenFor: () => assert.fail(), awsKeysFor: () => assert.fail() },
    },
    modelTools: () => ({
      task: () => assert.fail(),
      chat: options.judge ?? (async () => '{"verdict":"pass","reason_code":"none"}'),
    }),
    consequences,
  }).catch((error: Error) => error.message)
  return { left: typeof left === 'string' ? left : left.map(({ text }) => text), said }
}

test('what is found is redacted before anything else sees it', async () => {
  data.always(presidio)
  vendor.always(litellmService)
  const redacting = guardrail({ id: 'pii', action: 'redact', checks: [PRESIDIO()] })
  const judging = guardrail({ id: 'v', action: 'block', checks: [VENDOR()] })
  const { left, said } = await run([judging, redacting], [`Mail ${EMAIL}.`, 'Hello.'])
  assert.deepEqual(left, ['Mail [EMAIL_ADDRESS_1].', 'Hello.'])
  assert.deepEqual(said, ['pii presidio redacted EMAIL_ADDRESS'])
  assert.deepEqual((vendor.requests[0]!.body as { texts: string[] }).texts, ['Mail [EMAIL_ADDRESS_1].', 'Hello.'])
})

test('what cannot be redacted is blocked: an attack, or personal data in a text that is fixed', async () => {
  data.always(presidio)
  vendor.always(litellmService)
  const redacting = guardrail({ action: 'redact', checks: [VENDOR()] })
  assert.equal((await run([redacting], [`${ATTACK}.`])).left, 'g external blocked blocked')
  const fixed: CheckedText = { text: EMAIL, phase: 'input', isFixed: true }
  const ofData = guardrail({ action: 'redact', checks: [PRESIDIO()] })
  assert.equal((await run([ofData], [fixed])).left, 'g presidio blocked EMAIL_ADDRESS')
  assert.deepEqual((await run([ofData], [{ ...fixed, text: 'call_1' }, EMAIL])).left, ['call_1', '[EMAIL_ADDRESS_1]'])
  const byModel = guardrail({ action: 'redact', checks: [JUDGE] })
  const judge = async () => '{"verdict":"fail","reason_code":"other"}'
  assert.equal((await run([byModel], ['x'], { judge })).left, 'g judge blocked other')
})

test('a guardrail that flags or is in shadow mode changes nothing', async () => {
  data.always(presidio)
  const flagging = guardrail({ id: 'f', action: 'flag', checks: [PRESIDIO()] })
  const shadows = [
    guardrail({ id: 's1', action: 'redact', mode: 'shadow', checks: [PRESIDIO()] }),
    guardrail({ id: 's2', action: 'block', mode: 'shadow', checks: [PRESIDIO()] }),
  ]
  const { left, said } = await run([flagging, ...shadows], [EMAIL])
  assert.deepEqual(left, [EMAIL])
  assert.deepEqual(said.sort(), [
    'f presidio flagged EMAIL_ADDRESS',
    's1 presidio would_redact EMAIL_ADDRESS',
    's2 presidio would_block EMAIL_ADDRESS',
  ])
})

test('checks that only judge run side by side', async () => {
  const waiting: (() => void)[] = []
  const judge = () =>
    new Promise<string>((resolve) => {
      waiting.push(() => resolve('{"verdict":"pass","reason_code":"none"}'))
      // The first answers only when the second has been asked, too.
      if (waiting.length === 2) for (const answer of waiting) answer()
    })
  const both = guardrail({ action: 'block', checks: [JUDGE, { ...JUDGE, instructions: 'Something.' }] })
  assert.deepEqual((await run([both], ['x'], { judge })).left, ['x'])
})

test('a failure means what the guardrail says, except for what does not pass by itself', async () => {
  const open = guardrail({ action: 'block', on_error: 'open', checks: [VENDOR()] })
  const closed = guardrail({ action: 'block', checks: [VENDOR()] })
  const shadow = guardrail({ action: 'block', mode: 'shadow', checks: [VENDOR()] })
  vendor.always(status(503, {}))
  assert.deepEqual(await run([open], ['x']), { left: ['x'], said: ['g external unscanned failed'] })
  assert.equal((await run([closed], ['x'])).left, 'g external refused failed')
  assert.deepEqual(await run([shadow], ['x']), { left: ['x'], said: ['g external unscanned failed'] })
  vendor.always(status(200, { action: 'PERHAPS' }))
  assert.deepEqual((await run([open], ['x'])).said, ['g external unscanned unreadable'])
  vendor.always(litellmService)
  assert.equal((await run([open], ['x'], { key: 'wrong' })).left, 'g external refused credentials')
  const tooLong = 'ab '.repeat(90_000)
  const guard = guardrail({ action: 'block', on_error: 'open', checks: [{ check: 'prompt_guard', model: 'a/b' }] })
  assert.equal((await run([guard], [tooLong])).left, 'g prompt_guard refused too_long')
})

test('a check that takes too long has failed, and the end of the call is the end of its checks', async () => {
  vendor.always(silence())
  const hasty = guardrail({ action: 'block', on_error: 'open', timeout_ms: 1, checks: [VENDOR()] })
  assert.deepEqual(await run([hasty], ['x']), { left: ['x'], said: ['g external unscanned timeout'] })
  vendor.reset()
  vendor.always(silence())
  const over = new AbortController()
  const running = run([guardrail({ action: 'block', on_error: 'open', checks: [VENDOR()] })], ['x'], {
    signal: over.signal,
  })
  await vendor.request(0)
  over.abort(new Error('the client left'))
  assert.deepEqual(await running, { left: 'the client left', said: [] })
})

test('if one check refuses, no other one goes on afterwards', async () => {
  vendor.always(litellmService)
  let isAnswered = false
  const judge = async () => {
    await vendor.request(0)
    await new Promise(setImmediate)
    isAnswered = true
    return '{"verdict":"pass","reason_code":"none"}'
  }
  const both = guardrail({ action: 'block', checks: [VENDOR(), JUDGE] })
  assert.equal((await run([both], [ATTACK], { judge })).left, 'g external blocked blocked')
  assert.ok(isAnswered)
})
