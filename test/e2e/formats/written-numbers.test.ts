import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { status } from '../../fakes/behaviours.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { taskClient } from '../../gateway/task-client.ts'
import { gatewayWithRows, rowPerDialect } from '../../gateway/gateway-with-rows.ts'

// Numbers that JavaScript cannot hold, or writes otherwise, reach providers as callers wrote them.

/** The first two are the same double. */
const NUMBERS = [
  '12345678901234567890',
  '12345678901234567891',
  '1.0',
  '1e400',
  '0.12345678901234567890',
  '1E5',
  '-0.0',
]
const MEMBERS = NUMBERS.map((number, at) => `"n${at}":${number}`).join()
const LIST = `[{"id":12345678901234567890},{"id":12345678901234567891},${NUMBERS.join(', ')}]`
const SCHEMA = `{"type":"object","properties":{"a":{"type":"number","default":1.0,"examples":${LIST}}}}`
const INPUT = `{"first":{"id":12345678901234567890},"second":{"id":12345678901234567891},"list":${LIST}}`
const ARGUMENTS = JSON.stringify(INPUT)

const FUNCTION = `{"name":"f","parameters":${SCHEMA}}`
const CALL = `{"id":"c1","type":"function","function":{"name":"f","arguments":${ARGUMENTS}}}`
const CHAT = `"messages":[{"role":"user","content":"a"},{"role":"assistant","content":null,"tool_calls":[${CALL}]},
  {"role":"tool","tool_call_id":"c1","content":"ok"}],"tools":[{"type":"function","function":${FUNCTION}}],"temperature":1.0`
const MESSAGES = `"messages":[{"role":"user","content":"a"},
  {"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":${INPUT}}]},
  {"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"ok"}]}],
  "tools":[{"name":"f","input_schema":${SCHEMA}}],"temperature":1.0,"max_tokens":64`
const RESPONSES = `"input":[{"role":"user","content":"a"},
  {"type":"function_call","call_id":"c1","name":"f","arguments":${ARGUMENTS}},
  {"type":"function_call_output","call_id":"c1","output":"ok"}],
  "tools":[{"type":"function","name":"f","parameters":${SCHEMA}}],"temperature":1.0,"store":false`
const GEMINI = `"contents":[{"role":"user","parts":[{"text":"a"}]},
  {"role":"model","parts":[{"functionCall":{"name":"f","args":${INPUT}}}]},
  {"role":"user","parts":[{"functionResponse":{"name":"f","response":{"a":"ok"}}}]}],
  "tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":${SCHEMA}}]}],"generationConfig":{"temperature":1.0}`

const FORMATS = { chat: CHAT, messages: MESSAGES, responses: RESPONSES, gemini: GEMINI }
const DIALECTS = ['openai', 'responses', 'anthropic', 'gemini', 'cohere', 'bedrock']
const EXTRA = `"extra":{${MEMBERS},"list":${LIST}},${MEMBERS}`

const { gateway, provider } = await gatewayWithRows({
  ...rowPerDialect(),
  'my-titan': { dialect: 'bedrock' },
  'my-responses': { dialect: 'openai', responses: true },
})

const REFUSED = status(400, { error: { message: 'only the request counts', type: 'x' } })

beforeEach(() => provider.always(REFUSED))

/** The texts that the provider got for a body. */
async function sent(path: string, body: string): Promise<string> {
  const said = await (await post(path, body)).text()
  const text = provider.requests.at(-1)?.text
  assert.ok(text !== undefined, said)
  return text
}

function post(path: string, body: string): Promise<Response> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${API_KEY}` }
  return fetch(gateway.url + path, { method: 'POST', headers, body })
}

/** The numbers of a text, without those in its strings. */
function numbersIn(text: string): string[] {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').match(/-?\d[\d.eE+-]*/g) ?? []
}

function assertHas(text: string, part: string, what: string): void {
  const [wanted, found] = [numbersIn(part).join(' '), ` ${numbersIn(text).join(' ')} `]
  assert.ok(found.includes(` ${wanted} `), `${what}: ${wanted}\nis not in\n${text}`)
}

describe('numbers as they were written', () => {
  for (const [format, body] of Object.entries(FORMATS))
    for (const dialect of DIALECTS)
      test(`${format} to ${dialect}: schemas, arguments, settings`, async () => {
        const model = `my-${dialect}/m`
        const path = format === 'gemini' ? `/v1beta/models/${model}:generateContent` : PATHS[format]!
        const text = await sent(path, format === 'gemini' ? `{${body}}` : `{"model":"${model}",${body}}`)
        assertHas(text, SCHEMA, 'the schema of a tool')
        assert.match(text, /"temperature":\s?1\.0[,}]/)
        const isText = /"arguments":\s?"/.test(text)
        const calls = isText
          ? [...text.matchAll(/"arguments":\s?("(?:[^"\\]|\\.)*")/g)].map((one) => JSON.parse(one[1]!))
          : [text]
        assertHas(calls.join(), INPUT, 'the arguments of a call')
      })

  const OTHERS: [path: string, body: string, part?: string][] = [
    ['/v3/chat/completions', `{"model":"my-openai/m","messages":[{"role":"user","content":"a"}],${EXTRA}}`],
    [
      '/v3/chat/completions',
      `{"model":"my-anthropic/m","messages":[{"role":"user","content":"a"}],"extra_body":{${EXTRA}}}`,
    ],
    [
      '/v3/chat/completions',
      `{"model":"my-gemini/m","messages":[{"role":"user","content":"a"}],"extra_body":{${EXTRA}}}`,
    ],
    [
      '/v3/chat/completions',
      `{"model":"my-cohere/m","messages":[{"role":"user","content":"a"}],"extra_body":{${EXTRA}}}`,
    ],
    ['/v3/completions', `{"model":"my-openai/m","prompt":"a",${EXTRA}}`],
    ['/v3/embeddings', `{"model":"my-openai/m","input":"a",${EXTRA}}`],
    ['/v3/embeddings', `{"model":"my-cohere/m","input":"a",${EXTRA}}`],
    ['/v3/embeddings', `{"model":"my-titan/amazon.titan-embed-text-v2:0","input":"a",${EXTRA}}`],
    ['/v3/rerank', `{"model":"my-cohere/m","query":"a","documents":["b"],${EXTRA}}`],
    ['/v3/moderations', `{"model":"my-openai/m","input":"a",${EXTRA}}`],
    ['/v3/images/generations', `{"model":"my-openai/gpt-image-1","prompt":"a",${EXTRA}}`],
    ['/v3/responses', `{"model":"my-responses/m","input":"a",${EXTRA}}`],
    ['/v3/audio/speech', `{"model":"my-openai/tts-1","input":"a","voice":"alloy","speed":1.0}`, '1.0'],
  ]
  for (const [path, body, part = `{${EXTRA}}`] of OTHERS)
    test(`${path} ${body.slice(0, 30)}: fields of the caller`, async () =>
      assertHas(await sent(path, body), part, 'fields'))

  const ANSWERS: [dialect: string, text: string][] = [
    [
      'openai',
      `{"id":"x","choices":[{"index":0,"message":{"role":"assistant","tool_calls":[${CALL}]},"finish_reason":"tool_calls"}]}`,
    ],
    [
      'anthropic',
      `{"id":"x","type":"message","role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":${INPUT}}],
      "stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`,
    ],
    [
      'gemini',
      `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":${INPUT}}}]},"finishReason":"STOP"}]}`,
    ],
    [
      'bedrock',
      `{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"f","input":${INPUT}}}]}},
      "stopReason":"tool_use","usage":{"inputTokens":1,"outputTokens":1,"totalTokens":2}}`,
    ],
  ]
  for (const [dialect, answer] of ANSWERS)
    test(`a call in an answer of ${dialect} keeps them in every format`, async () => {
      provider.always((_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(answer)
      })
      const said = async (path: string, body: string) => (await post(path, body)).text()
      const model = `my-${dialect}/m`
      const chat = await said('/v3/chat/completions', `{"model":"${model}",${CHAT}}`)
      assertHas(JSON.parse(chat).choices[0].message.tool_calls[0].function.arguments, INPUT, 'chat')
      assertHas(await said('/v1/messages', `{"model":"${model}",${MESSAGES}}`), INPUT, 'messages')
      assertHas(await said(`/v1beta/models/${model}:generateContent`, `{${GEMINI}}`), INPUT, 'Gemini')
    })

  const TASK = `{"model":"text/moderation/openai","input":{"text":"a"},"provider_params":{${EXTRA}}}`

  test('the parameters of a task', async () =>
    assertHas(await sent('/v3/universal-ai', TASK), `{${EXTRA}}`, 'parameters'))

  test('the parameters of a task that was stored as a job', async () => {
    const { public_id } = (await (await post('/v3/universal-ai/async', TASK)).json()) as { public_id: string }
    await taskClient(gateway.url).ended(public_id)
    assertHas(provider.requests[0]!.text, `{${EXTRA}}`, 'parameters')
  })

  test('a response in the background', async () => {
    const body = `{"model":"my-responses/m",${RESPONSES.replace('"store":false', '"background":true')},${EXTRA}}`
    const asked = Promise.withResolvers<void>()
    provider.always((request, response) => {
      asked.resolve()
      return REFUSED(request, response)
    })
    assert.equal((await post('/v3/responses', body)).status, 200)
    await asked.promise
    const { text } = provider.requests[0]!
    assertHas(text, SCHEMA, 'the schema of a tool')
    assertHas(text, `{${EXTRA}}`, 'fields')
  })

  test('metadata becomes texts with their digits', async () => {
    const body = `{"model":"my-openai/m","messages":[{"role":"user","content":"a"}],"metadata":{${MEMBERS}}}`
    const { metadata } = JSON.parse(await sent('/v3/chat/completions', body))
    assert.deepEqual(Object.values(metadata), NUMBERS)
  })

  test('a hook that changes the messages leaves the numbers as they were', async () => {
    const hooks = `"pre_hooks":[{"action":"system_prompt","params":{"text":"Be brief."}}]`
    assertHas(await sent('/v3/chat/completions', `{"model":"my-openai/m",${CHAT},${hooks}}`), SCHEMA, 'the schema')
  })
})

const PATHS: Record<string, string> = {
  chat: '/v3/chat/completions',
  messages: '/v1/messages',
  responses: '/v3/responses',
}
