import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { type Behaviour, silence, status } from '../../../test/fakes/behaviours.ts'
import { azure } from '../../../test/fakes/guard-services/azure.ts'
import { bedrock } from '../../../test/fakes/guard-services/bedrock.ts'
import { litellmService, ownService } from '../../../test/fakes/guard-services/external.ts'
import { lakera } from '../../../test/fakes/guard-services/lakera.ts'
import { modelArmor, TEMPLATE } from '../../../test/fakes/guard-services/model-armor.ts'
import { presidio } from '../../../test/fakes/guard-services/presidio.ts'
import { ATTACK, EMAIL, SECRET } from '../../../test/fakes/guard-services/service.ts'
import { type FakeProvider, startFakeProvider } from '../../../test/fakes/provider.ts'
import { sharedPrivateKey } from '../../../test/fakes/signing-key.ts'
import type { CheckName } from '../../contract/admin/guardrails.ts'
import { parseConfig } from '../../platform/config/config.ts'
import { openUpstream, type Upstream } from '../../platform/net/upstream.ts'
import type { CheckedText, GuardPhase, Verdict } from '../../translation/guardrails/check.ts'
import { CHECKS } from '../../translation/guardrails/checks.ts'
import { askRemote } from './ask-remote.ts'

const NOW = Date.parse('2026-11-19T01:00:00Z')
const AWS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret-of-aws', region: 'eu-west-1' }
const MINUTE = 60_000
const TIMEOUTS = { connectMs: MINUTE, headersMs: MINUTE, idleMs: MINUTE, firstTokenMs: MINUTE, totalMs: MINUTE }
const CONTEXT = {
  callId: 'call-1',
  endpoint: 'chat',
  model: 'openai/gpt-5',
  organization: 'default',
  project: 'research',
  key: 'key-1',
  isStream: false,
}

/** One service: what it is, its parameters, and what it says about the e-mail address and about the attack. */
type Row = {
  title: string
  check: CheckName
  behaviour: Behaviour
  params(address: string): Record<string, unknown>
  /** The rule under which the address is found; undefined: the service only judges attacks. */
  email?: string
  attack?: string
  /** The credential is not a secret that could be wrong. */
  isOpen?: boolean
}

const ROWS: Row[] = [
  {
    title: 'presidio',
    check: 'presidio',
    behaviour: presidio,
    email: 'EMAIL_ADDRESS',
    isOpen: true,
    params: (endpoint) => ({ endpoint, entities: ['EMAIL_ADDRESS'] }),
  },
  {
    title: 'azure shield_prompt',
    check: 'azure_content_safety',
    behaviour: azure,
    attack: 'user_prompt_attack',
    params: (endpoint) => ({ endpoint, credential: 'env:GUARD_KEY', api: 'shield_prompt' }),
  },
  {
    title: 'lakera',
    check: 'lakera',
    behaviour: lakera,
    email: 'pii/email',
    attack: 'prompt_attack',
    params: (endpoint) => ({ endpoint, credential: 'env:GUARD_KEY' }),
  },
  {
    title: 'bedrock',
    check: 'bedrock',
    behaviour: bedrock(AWS, () => new Date(NOW)),
    email: 'EMAIL',
    attack: 'PROMPT_ATTACK',
    params: () => ({ guardrail: 'gr1', version: '3' }),
  },
  {
    title: 'model_armor',
    check: 'model_armor',
    behaviour: modelArmor,
    email: 'EMAIL_ADDRESS',
    attack: 'pi_and_jailbreak',
    params: (endpoint) => ({ endpoint, template: TEMPLATE }),
  },
  {
    title: 'external',
    check: 'external',
    behaviour: ownService,
    email: 'email',
    attack: 'attack',
    params: (url) => ({ url: `${url}/check`, credential: 'env:GUARD_KEY' }),
  },
  {
    title: 'external, LiteLLM',
    check: 'external',
    behaviour: litellmService,
    email: 'intervened',
    attack: 'blocked',
    params: (url) => ({ url: `${url}/api/`, contract: 'litellm', credential: 'env:GUARD_KEY' }),
  },
]

const MALFORMED: Record<string, string | object> = {
  'not JSON': 'yes',
  'an empty object': {},
  'of another shape': {
    action: 'MAYBE',
    flagged: 'no',
    sanitizationResult: {},
    assessments: {},
    userPromptAnalysis: 'none',
  },
  'a list of nothing that is known': [{ entity: 'x' }],
}

let upstream: Upstream
let fake: FakeProvider

before(async () => {
  upstream = openUpstream()
  fake = await startFakeProvider({ everyPath: true })
})
afterEach(() => fake.reset())
after(async () => {
  await fake.close()
  await upstream.close()
})

type Options = { phase?: GuardPhase; environment?: Record<string, string>; signal?: AbortSignal }

async function ask(row: Row, texts: readonly string[], { phase = 'input', environment, signal }: Options = {}) {
  const address = fake.url.slice(0, -'/v1'.length)
  const check = CHECKS[row.check]
  if (check.kind !== 'remote') return assert.fail('This check is not remote.')
  const checked: CheckedText[] = texts.map((text) => ({ text, phase }))
  const asking = {
    signal: signal ?? new AbortController().signal,
    owner: 'owner-1',
    services: {
      config: parseConfig({
        environment: environment ?? environmentOf(address),
        file: { path: undefined, content: {} },
      }),
      send: upstream.send,
      timeouts: TIMEOUTS,
      now: () => NOW,
      newId: () => 'msg_1',
      accessTokens: {
        tokenFor: async () => 'token-of-test',
        awsKeysFor: () => assert.fail('No test has an identity of AWS.'),
      },
    },
  }
  return await askRemote(checked, { check, params: row.params(address), context: CONTEXT }, asking)
}

function environmentOf(address: string): Record<string, string> {
  const account = {
    client_email: 'robot@demo.example',
    private_key: sharedPrivateKey().export({ type: 'pkcs8', format: 'pem' }),
  }
  return {
    GUARD_KEY: SECRET,
    AWS_ACCESS_KEY_ID: AWS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: AWS.secretAccessKey,
    AWS_REGION: AWS.region,
    BEDROCK_BASE_URL: address,
    GOOGLE_APPLICATION_CREDENTIALS: JSON.stringify(account),
    GOOGLE_CLOUD_PROJECT: 'demo',
  }
}

/** What is left of the texts when the places or the rewriting of a verdict are applied. */
function redacted(texts: readonly string[], { spans, texts: rewritten }: Verdict): readonly string[] {
  if (rewritten) return rewritten.map((text) => text.replaceAll('<email>', '*'))
  assert.ok(spans, 'The check says where.')
  return texts.map((text, index) => {
    return spans[index]!.toReversed().reduce((rest, { from, to }) => `${rest.slice(0, from)}*${rest.slice(to)}`, text)
  })
}

for (const row of ROWS) {
  describe(row.title, () => {
    test('finds nothing in harmless texts, and says so', async () => {
      fake.always(row.behaviour)
      assert.deepEqual(await ask(row, ['Good morning.', 'How are you?']), { found: [] })
      assert.equal(fake.requests.length, row.check === 'model_armor' ? 2 : 1)
    })

    test('blank texts are not sent', async () => {
      fake.always(row.behaviour)
      assert.deepEqual(await ask(row, ['', ' \n ']), { found: [] })
      assert.equal(fake.requests.length, 0)
    })

    if (row.email) {
      test('says exactly where personal data stands, also behind characters of two units', async () => {
        fake.always(row.behaviour)
        const texts = [`👩🏽‍🚀 𝒳 write to ${EMAIL}, or ${EMAIL}!`, 'Nothing here.', `${EMAIL}`]
        const verdict = await ask(row, texts)
        assert.deepEqual(verdict.found, [row.email])
        assert.deepEqual(redacted(texts, verdict), ['👩🏽‍🚀 𝒳 write to *, or *!', 'Nothing here.', '*'])
      })

      test('an answer is checked as an answer', async () => {
        fake.always(row.behaviour)
        assert.deepEqual((await ask(row, [`Mail ${EMAIL}`], { phase: 'output' })).found, [row.email])
        const { body, path } = fake.requests[0]!
        const said = `${path} ${JSON.stringify(body)}`
        const words = /OUTPUT|assistant|sanitizeModelResponse|"phase":"output"|"input_type":"response"/
        assert.equal(words.test(said), row.check !== 'presidio')
      })

      test('a text that is too long for one request is sent in parts, and nothing hides in a cut', async () => {
        fake.always(row.behaviour)
        const { maxChars } = CHECKS[row.check] as { maxChars: number }
        for (const length of maxChars > 100_000 ? [maxChars - 5] : [maxChars - 5, maxChars, 2 * maxChars - 205]) {
          const filler = 'ab '.repeat(length).slice(0, length - 1)
          const text = `${filler} ${EMAIL} ${filler}`
          const verdict = await ask(row, [text])
          assert.deepEqual(redacted([text], verdict), [`${filler} * ${filler}`], `after ${length} characters`)
        }
      })
    }

    if (row.attack) {
      test('an attack is found, and not at a place that could be redacted', async () => {
        fake.always(row.behaviour)
        const verdict = await ask(row, ['Hello.', `${ATTACK} and sing.`])
        assert.deepEqual(verdict, { found: [row.attack] })
      })

      test('an attack beside personal data cannot be redacted', async () => {
        fake.always(row.behaviour)
        const verdict = await ask(row, [`${ATTACK}, ${EMAIL}`])
        assert.ok(verdict.found.includes(row.attack!))
        assert.deepEqual([verdict.spans, verdict.texts], [undefined, undefined])
      })
    }

    if (!row.isOpen) {
      test('a wrong credential is a failure of its own', async () => {
        fake.always(row.behaviour)
        const environment = {
          ...environmentOf(fake.url.slice(0, -'/v1'.length)),
          GUARD_KEY: 'wrong',
          AWS_SECRET_ACCESS_KEY: 'wrong',
        }
        if (row.check === 'model_armor') fake.next(status(403, { error: { code: 403, status: 'PERMISSION_DENIED' } }))
        await assert.rejects(ask(row, ['Hello.'], { environment }), { name: 'GuardFailure', kind: 'credentials' })
      })

      test('a credential that is not there is a failure of the same kind, and nothing is sent', async () => {
        fake.always(row.behaviour)
        await assert.rejects(ask(row, ['Hello.'], { environment: {} }), { name: 'GuardFailure', kind: 'credentials' })
        assert.equal(fake.requests.length, 0)
      })
    }

    for (const [title, body] of Object.entries(MALFORMED))
      test(`an answer that is ${title} is a failure`, async () => {
        fake.next(status(200, body))
        await assert.rejects(ask(row, ['Hello.']), { name: 'UnreadableVerdict' })
      })

    for (const code of [400, 429, 500, 503])
      test(`status ${code} is a failure`, async () => {
        fake.next(status(code, { error: 'x' }))
        await assert.rejects(ask(row, ['Hello.']), {
          name: 'GuardFailure',
          kind: 'failed',
          message: new RegExp(`${code}`),
        })
      })

    test('a redirect is not followed', async () => {
      fake.next(status(307, '', { location: `${fake.url}/elsewhere` }))
      await assert.rejects(ask(row, ['Hello.']), { name: 'GuardFailure', kind: 'failed' })
      assert.equal(fake.requests.length, 1)
    })

    test('an answer that is too large is not collected', async () => {
      fake.next(
        status(200, `{"action":"allow","x":"${'x'.repeat(5_000_000)}"}`, { 'content-type': 'application/json' }),
      )
      await assert.rejects(ask(row, ['Hello.']), { name: 'Error', kind: 'protocol' })
    })

    test('ends when its time is over', async () => {
      fake.next(silence())
      const over = new AbortController()
      const asked = ask(row, ['Hello.'], { signal: over.signal })
      await fake.request(0)
      over.abort(new Error('time is over'))
      await assert.rejects(asked, /time is over/)
    })
  })
}

/** What each kind of authorization would leave in an answer that shows the request. */
const SHOWN: Partial<Record<string, { secret: string; reply: object }>> = {
  external: { secret: SECRET, reply: { action: 'redact', texts: [`signed with ${SECRET}`] } },
  'external, LiteLLM': {
    secret: SECRET,
    reply: { action: 'GUARDRAIL_INTERVENED', texts: [`x-api-key: ${SECRET}`] },
  },
  bedrock: {
    secret: AWS.accessKeyId,
    reply: {
      action: 'GUARDRAIL_INTERVENED',
      assessments: [{ topicPolicy: { topics: [{ name: AWS.accessKeyId, action: 'BLOCKED' }] } }],
    },
  },
  model_armor: {
    secret: 'token-of-test',
    reply: {
      sanitizationResult: {
        filterMatchState: 'MATCH_FOUND',
        invocationResult: 'SUCCESS',
        filterResults: {
          sdp: {
            sdpFilterResult: {
              deidentifyResult: {
                executionState: 'EXECUTION_SUCCESS',
                matchState: 'MATCH_FOUND',
                data: { text: 'Hello!' },
                infoTypes: ['Bearer token-of-test'],
              },
            },
          },
        },
      },
    },
  },
}

for (const row of ROWS) {
  const { secret, reply } = SHOWN[row.title] ?? {}
  if (secret === undefined || !reply) continue
  test(`a service that shows how it was asked shows no credential: ${row.title}`, async () => {
    fake.always(status(200, reply))
    const verdict = JSON.stringify(await ask(row, ['Hello.']))
    assert.match(verdict, /\[redacted\]/)
    assert.ok(!verdict.includes(secret), verdict)
  })
}
