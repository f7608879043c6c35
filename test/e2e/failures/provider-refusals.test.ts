import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { failure, status } from '../../fakes/behaviours.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { type Ask, everyTalk, play, someTalks, titleOf } from '../../fakes/refusals/conversation.ts'
import { answerOf, MAKERS } from '../../fakes/refusals/makers.ts'
import type { Fields } from '../../fakes/refusals/rule.ts'
import { sample } from '../../soak/sample.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

// Conversations in which the maker changes with every request, through real ports. `test/provider-refusals.test.ts` has all makers.

/** The variables that lead each provider to the fake, which tells them apart by their paths. */
const PROVIDERS: Record<string, (base: string) => Record<string, string>> = {
  openai: (base) => ({ OPENAI_BASE_URL: `${base}/openai/v1`, OPENAI_API_KEY: 'k' }),
  anthropic: (base) => ({ ANTHROPIC_BASE_URL: `${base}/anthropic/v1`, ANTHROPIC_API_KEY: 'k' }),
  google: (base) => ({ GEMINI_BASE_URL: `${base}/google/v1beta`, GEMINI_API_KEY: 'k' }),
  amazon: (base) => ({
    BEDROCK_BASE_URL: base,
    AWS_REGION: 'eu-west-3',
    AWS_ACCESS_KEY_ID: 'k',
    AWS_SECRET_ACCESS_KEY: 's',
  }),
  cohere: (base) => ({ COHERE_BASE_URL: `${base}/cohere/v2`, COHERE_API_KEY: 'k' }),
  mistral: (base) => ({ MISTRAL_BASE_URL: `${base}/mistral/v1`, MISTRAL_API_KEY: 'k' }),
  groq: (base) => ({ GROQ_BASE_URL: `${base}/groq/v1`, GROQ_API_KEY: 'k' }),
  moonshot: (base) => ({ MOONSHOT_BASE_URL: `${base}/moonshot/v1`, MOONSHOT_API_KEY: 'k' }),
}

let fake: FakeProvider
let gateway: GatewayUnderTest

before(async () => {
  fake = await startFakeProvider({ everyPath: true })
  const base = fake.url.replace(/\/v1$/, '')
  gateway = await startGateway({ env: Object.assign({}, ...Object.values(PROVIDERS).map((env) => env(base))) })
})
after(async () => {
  await gateway.close()
  await fake.close()
})

test('through the ports of the gateway, no provider refuses a conversation that another maker took part in', async () => {
  const makers = MAKERS.filter(({ model }) => Object.hasOwn(PROVIDERS, model.split('/', 1)[0]!))
  const talks = everyTalk(makers)
  for (const talk of someTalks(talks, sample(12, 500)))
    await play(talk, ask).catch((error) => assert.fail(`${titleOf(talk)}: ${error}`))
})

const ask: Ask = async ({ maker, body, path, said }) => {
  fake.next((request, response) => {
    const made = answerOf(maker, request.path, request.body as Fields, said)
    const behaviour =
      'refusal' in made
        ? failure(400, { message: made.refusal, type: 'invalid_request_error' })
        : status(200, made.answer)
    return behaviour(request, response)
  })
  const reply = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await reply.text()
  assert.equal(reply.status, 200, `${maker.model}: ${text}`)
  return JSON.parse(text)
}
