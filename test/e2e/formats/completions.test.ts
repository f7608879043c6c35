import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { OpenAI } from 'openai'
import { answer, type Behaviour, failure, status } from '../../fakes/behaviours.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

type OfGateway = { provider?: string; cost?: number | null; gatehouse?: { notes: { field: string; action: string }[] } }

const model = 'openai/gpt-4o-mini'
const native = 'vllm/base'

describe('text completions, by the official SDK', () => {
  let gateway: GatewayUnderTest
  let fake: FakeProvider
  let client: OpenAI
  before(async () => {
    fake = await startFakeProvider({ everyPath: true })
    const env = { OPENAI_BASE_URL: fake.url, OPENAI_API_KEY: 'sk-fake-0123456789' }
    gateway = await startGateway({ env: { ...env, VLLM_BASE_URL: fake.url, OLLAMA_BASE_URL: fake.url } })
    client = new OpenAI({ baseURL: `${gateway.url}/v3`, apiKey: API_KEY, maxRetries: 0 })
  })
  beforeEach(() => fake.reset())
  after(async () => {
    await gateway.close()
    await fake.close()
  })

  test('a model that chats gets the prompt as a message, and its answer comes back as text', async () => {
    fake.always(answer({ content: 'Blue.' }))
    const settings = { temperature: 0.5, max_tokens: 9, stop: ['\n'], seed: 1, user: 'me', presence_penalty: 1 }
    const { data, response } = await client.completions
      .create({ model, prompt: 'The sky is', best_of: 1, ...settings }, { headers: METADATA })
      .withResponse()
    assert.deepEqual([data.object, data.model], ['text_completion', model])
    assert.deepEqual(data.choices, [{ text: 'Blue.', index: 0, logprobs: null, finish_reason: 'stop' }])
    assert.equal(response.headers.get('x-gatehouse-cost'), String((data as OfGateway).cost))
    const { notes } = (data as OfGateway).gatehouse!
    assert.deepEqual(
      notes.map(({ field, action }) => [field, action]),
      [
        ['max_tokens', 'renamed'],
        ['prompt', 'translated'],
      ],
    )
    const { max_tokens: max_completion_tokens, ...rest } = settings
    const { path, body } = fake.requests[0]!
    const messages = [{ role: 'user', content: 'The sky is' }]
    assert.deepEqual(
      [path, body],
      ['/v1/chat/completions', { messages, ...rest, max_completion_tokens, model: 'gpt-4o-mini' }],
    )
  })

  test('each of several prompts has its own completions, in order, whole and streamed', async () => {
    const prompts = ['one', 'two', 'three']
    const { choices, usage } = await client.completions.create({ model: 'sandbox/echo', prompt: prompts, n: 2 })
    const expected = ['one', 'one', 'two', 'two', 'three', 'three']
    assert.deepEqual(
      choices.map(({ text }) => text),
      expected,
    )
    assert.deepEqual(
      choices.map(({ index }) => index),
      [0, 1, 2, 3, 4, 5],
    )
    assert.ok(usage!.prompt_tokens >= 6)
    assert.deepEqual(await streamed({ model: 'sandbox/echo', prompt: prompts, n: 2 }), expected)
  })

  test('the prompt is repeated on request, in a stream before everything else', async () => {
    const asked = { model: 'sandbox/echo', prompt: ['Hello, you!', 'Bye.'], echo: true }
    const { choices } = await client.completions.create(asked)
    const expected = ['Hello, you!Hello, you!', 'Bye.Bye.']
    assert.deepEqual(
      choices.map(({ text }) => text),
      expected,
    )
    assert.deepEqual(await streamed(asked), expected)
  })

  test('a stream has text completions, the usage on request, and an end', async () => {
    const body = { model: 'sandbox/echo', prompt: 'Hello, you!', stream: true, stream_options: { include_usage: true } }
    const text = await (await post('/v3/completions', body)).text()
    const events = text.split('\n\n').filter((line) => line.startsWith('data: '))
    assert.equal(events.pop(), 'data: [DONE]')
    const chunks = events.map((line) => JSON.parse(line.slice('data: '.length)))
    assert.ok(chunks.every(({ object }) => object === 'text_completion'))
    assert.equal(
      chunks.flatMap(({ choices }) => choices.map((choice: { text: string }) => choice.text)).join(''),
      'Hello, you!',
    )
    const { choices, usage, cost } = chunks.at(-1)
    assert.deepEqual([choices, usage.total_tokens > 0, cost], [[], true, 0])
    assert.equal(chunks.at(-2).choices[0].finish_reason, 'stop')
  })

  test('probabilities come in the older form', async () => {
    const content = [
      {
        token: 'Bl',
        logprob: -0.5,
        top_logprobs: [
          { token: 'Bl', logprob: -0.5 },
          { token: 'Gr', logprob: -2 },
        ],
      },
      { token: 'ue', logprob: -0.1, top_logprobs: [] },
    ]
    fake.always(logprobsAnswer(content))
    const { choices } = await client.completions.create({ model, prompt: 'Sky', logprobs: 2 })
    assert.deepEqual(choices[0]!.logprobs, {
      tokens: ['Bl', 'ue'],
      token_logprobs: [-0.5, -0.1],
      top_logprobs: [{ Bl: -0.5, Gr: -2 }, null],
      text_offset: [0, 2],
    })
    const { logprobs, top_logprobs } = fake.requests[0]!.body as Record<string, unknown>
    assert.deepEqual([logprobs, top_logprobs], [true, 2])
  })

  test('a server with the endpoint gets the prompt as it is, with the fields that no chat has', async () => {
    const ofPrompt = (index: number) => ({
      text: `t${index}`,
      index,
      logprobs: { tokens: ['t'] },
      finish_reason: 'length',
    })
    fake.always(status(200, { id: 'cmpl-1', object: 'text_completion', choices: [0, 1].map(ofPrompt), usage: USAGE }))
    const asked = { model: native, prompt: ['a', 'b'], suffix: 'z', best_of: 3, logprobs: 1, echo: true, max_tokens: 0 }
    const { choices, usage } = await client.completions.create({ ...asked, top_k: 5 } as typeof asked)
    assert.deepEqual(
      choices.map(({ text, index }) => [text, index]),
      [
        ['t0', 0],
        ['t1', 1],
      ],
    )
    assert.deepEqual(choices[0]!.logprobs, { tokens: ['t'] })
    assert.equal(usage!.total_tokens, USAGE.total_tokens)
    const { path, body } = fake.requests[0]!
    assert.deepEqual([path, body], ['/v1/completions', { ...asked, top_k: 5, model: 'base' }])
  })

  test('a stream of such a server is passed on, also after a failure of another one; a broken one is not taken for whole', async () => {
    fake.next(failure(500))
    fake.next(
      events([
        { text: 'Hel', index: 0 },
        { text: 'lo', index: 0, finish_reason: 'stop' },
      ]),
    )
    assert.deepEqual(await streamed({ model, prompt: 'x', fallbacks: [native] } as { model: string; prompt: string }), [
      'Hello',
    ])
    assert.deepEqual(
      fake.requests.map(({ path }) => path),
      ['/v1/chat/completions', '/v1/completions'],
    )
    assert.deepEqual((fake.requests[1]!.body as { stream_options: object }).stream_options, { include_usage: true })
    fake.next(events([{ text: 'Hel', index: 0 }], false))
    await assert.rejects(streamed({ model: native, prompt: 'x' }))
  })

  test('a server that completes one prompt at a time gets one request for each', async () => {
    fake.always((seen, response) => {
      const { prompt } = seen.body as { prompt: string }
      const choices = [{ text: `${prompt}!`, index: 0, finish_reason: 'stop' }]
      return status(200, { object: 'text_completion', choices, usage: USAGE })(seen, response)
    })
    const { choices } = await client.completions.create({ model: 'ollama/base', prompt: ['a', 'b'], n: 2 })
    assert.deepEqual(
      choices.map(({ text }) => text),
      ['a!', 'a!', 'b!', 'b!'],
    )
    assert.ok(fake.requests.every(({ body }) => !('n' in (body as object))))
  })

  test('hooks read and change every prompt, also those that go to a server with the endpoint', async () => {
    const redact = { action: 'redact_pii' }
    fake.always(status(200, { object: 'text_completion', choices: [{ text: 'ok', index: 0, finish_reason: 'stop' }] }))
    const asked = { model: native, prompt: ['mail me@example.org', 'none'], suffix: 'z', pre_hooks: [redact] }
    await client.completions.create(asked as { model: string; prompt: string[] })
    const { prompt, suffix } = fake.requests[0]!.body as { prompt: string[]; suffix: string }
    assert.ok(!prompt[0]!.includes('me@example.org'), prompt[0])
    assert.deepEqual([prompt[1], suffix], ['none', 'z'])
  })

  test('what a model that chats cannot do is refused with the reason', async () => {
    const cases: [object, RegExp][] = [
      [{ prompt: [1, 2] }, /prompt: send text: tokens/],
      [{ prompt: [[1], [2]] }, /prompt: send text: tokens/],
      [{ suffix: 'z' }, /suffix: a model that chats cannot write the text before/],
      [{ best_of: 2 }, /best_of: /],
      [{ echo: true, logprobs: 1 }, /logprobs: /],
      [{ max_tokens: 0 }, /max_tokens: /],
      [{ prompt: Array(9).fill('x'), n: 2 }, /prompts times n may be at most 16/],
      [{ prompt: [] }, /./],
      [{ prompt: 5 }, /./],
      [{ prompt: undefined }, /./],
    ]
    for (const [change, message] of cases)
      await assert.rejects(
        client.completions.create({ model, prompt: 'x', ...change } as { model: string; prompt: string }),
        (error) => {
          assert.ok(error instanceof OpenAI.UnprocessableEntityError, JSON.stringify(change))
          assert.match(error.message, message)
          return true
        },
      )
    await assert.rejects(client.completions.create({ model: 'openai/tts-1', prompt: 'x' }), /supports: \/audio\/speech/)
    assert.equal(fake.requests.length, 0)
  })

  test('the paths of other clients lead here', async () => {
    for (const path of ['/v1/completions', '/v3/v1/completions', '/openai/v1/completions', '/v3/completions/']) {
      const reply = await post(path, { model: 'sandbox/echo', prompt: 'Hello!' })
      assert.equal(((await reply.json()) as { object: string }).object, 'text_completion', path)
    }
  })

  /** The text of each completion of a stream. */
  async function streamed(body: { model: string; prompt: string | string[]; n?: number }): Promise<string[]> {
    const texts: string[] = []
    for await (const { choices } of await client.completions.create({ ...body, stream: true }))
      for (const { index, text } of choices) texts[index] = (texts[index] ?? '') + text
    return texts
  }

  function post(path: string, body: object): Promise<Response> {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${API_KEY}` }
    return fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  }
})

const METADATA = { 'x-gatehouse-metadata': 'enabled' }
const USAGE = { prompt_tokens: 2, completion_tokens: 2, total_tokens: 4 }

function logprobsAnswer(content: object[]): Behaviour {
  const choice = {
    index: 0,
    message: { role: 'assistant', content: 'Blue' },
    logprobs: { content },
    finish_reason: 'stop',
  }
  return status(200, { object: 'chat.completion', choices: [choice], usage: USAGE })
}

function events(choices: object[], isWhole = true): Behaviour {
  const written = choices.map(
    (choice) => `data: ${JSON.stringify({ object: 'text_completion', choices: [choice] })}\n\n`,
  )
  const text = written.join('') + (isWhole ? 'data: [DONE]\n\n' : '')
  return status(200, text, { 'content-type': 'text/event-stream' })
}
