import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { answer } from '../../fakes/behaviours.ts'
import { interleavedChoices, reasoningEvents, SOME_USAGE, textEvents, toolEvents } from '../../fakes/openai-events.ts'
import { stream } from '../../fakes/stream.ts'
import { chatClient, readStream } from '../../gateway/chat-client.ts'
import { askIn, CLIENT_FORMATS } from '../../gateway/client-formats.ts'
import { type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'

// Guardrails of operators on chats: in every format of clients, whole and streamed.

const MODEL = 'fake/priced'
const messages = [{ role: 'user', content: 'Hello' }]
const METADATA = { headers: { 'x-gatehouse-metadata': 'enabled' } }

let scene: LimitsGateway
before(async () => {
  scene = await startLimitsGateway()
})
after(() => scene.close())
beforeEach(() => scene.fake.reset())

/** The guardrails of the config file become these. */
async function guard(...guardrails: object[]): Promise<void> {
  await scene.limit({ guardrails: guardrails.map((one, at) => ({ id: `g${at}`, appliesTo: 'all', ...one })) })
}

const word = (action: string, more: object = {}) => ({
  checks: [{ check: 'patterns', words: ['falcon'] }],
  action,
  ...more,
})
const SAID = 'The bird is a falcon, of course. Really.'
const HIDDEN = 'The bird is a [REDACTED_1], of course. Really.'
const PASSED = 'The bird is a'

function says(text: string): void {
  scene.fake.always((request, response) => {
    const isStream = (request.body as { stream?: boolean }).stream
    return (isStream ? stream(textEvents(text)) : answer({ content: text }))(request, response)
  })
}

const chat = () => chatClient(scene.gateway.url)

for (const [name, format] of Object.entries(CLIENT_FORMATS))
  describe(`in the format ${name}`, () => {
    const ask = (isStream: boolean) => askIn(scene.gateway.url, format, MODEL, isStream)

    test('what is found in an answer is replaced, whole and streamed', async () => {
      await guard(word('redact', { phases: ['output'] }))
      says(SAID)
      for (const isStream of [false, true])
        assert.deepEqual(await ask(isStream), { status: 200, text: HIDDEN, end: format.words.proper, isError: false })
    })

    test('an answer that is blocked is an error if it is whole, and ends as filtered if it is a stream', async () => {
      await guard(word('block', { phases: ['output'] }))
      says(SAID)
      assert.equal((await ask(false)).status, 403)
      assert.deepEqual(await ask(true), { status: 200, text: PASSED, end: format.words.filtered, isError: false })
    })

    test('a request that is blocked reaches no provider', async () => {
      await guard({ checks: [{ check: 'patterns', words: ['hello'] }], action: 'block' })
      for (const isStream of [false, true]) assert.equal((await ask(isStream)).status, 403)
      assert.deepEqual(scene.fake.requests, [])
    })

    test('a request that is blocked is answered, if the guardrail wants that', async () => {
      const checks = [{ check: 'patterns', words: ['hello'] }]
      await guard({ checks, action: 'block', respond: 'message', message: 'I cannot help with that.' })
      for (const isStream of [false, true]) {
        const told = await ask(isStream)
        assert.deepEqual(told, {
          status: 200,
          text: 'I cannot help with that.',
          end: format.words.filtered,
          isError: false,
        })
      }
      assert.deepEqual(scene.fake.requests, [])
    })

    test('what is found in a request is replaced before a provider sees it', async () => {
      await guard({ checks: [{ check: 'patterns', words: ['hello'] }], action: 'redact' })
      for (const isStream of [false, true]) {
        says('Fine.')
        assert.equal((await ask(isStream)).text, 'Fine.')
      }
      assert.equal(scene.fake.requests.length, 2)
      for (const { text } of scene.fake.requests) assert.ok(text.includes('[REDACTED_1]') && !/hello/i.test(text), text)
    })
  })

test('a blocked stream stops the provider and pays what was generated; its line says why', async () => {
  await guard(word('block'))
  says(`${SAID} ${'More words. '.repeat(50)}`)
  const { status, chunks, errors, done } = await chat().stream({ model: MODEL, messages }, METADATA)
  assert.deepEqual([status, errors, done], [200, [], 1])
  assert.equal(chunks.map(({ choices }) => choices[0]?.delta?.content ?? '').join(''), PASSED)
  assert.deepEqual(
    chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? []),
    ['content_filter'],
  )
  const { guardrails } = chunks.findLast(({ gatehouse }) => gatehouse)!.gatehouse as { guardrails: unknown[] }
  assert.deepEqual(guardrails.at(-1), {
    guardrail: 'g0',
    check: 'patterns',
    outcome: 'blocked',
    count: 1,
    rules: ['word 0'],
  })
  const line = await latest()
  assert.deepEqual([line.status, line.code], [403, 'guardrail_blocked'])
  assert.ok((line.cost as number) > 0)
})

test('a stream that is blocked before anything of it has passed is an error, or the answer that the guardrail wants', async () => {
  await guard(word('block'))
  says('Falcon.')
  const refused = await chat().post({ model: MODEL, messages, stream: true })
  const { error } = (await refused.json()) as { error: Record<string, unknown> }
  assert.deepEqual(
    [refused.status, error.code, error.guardrail, error.check],
    [403, 'guardrail_blocked', 'g0', 'patterns'],
  )
  assert.equal(refused.headers.get('x-gatehouse-guardrails'), 'g0=blocked(1)')
  await guard(word('block', { respond: 'message', message: 'No.' }))
  says('Falcon.')
  const { chunks } = await chat().stream({ model: MODEL, messages })
  assert.equal(chunks.map(({ choices }) => choices[0]?.delta?.content ?? '').join(''), 'No.')
  says('Falcon.')
  const { completion } = await chat().whole({ model: MODEL, messages })
  assert.deepEqual(
    [completion.choices[0]?.message.content, completion.choices[0]?.finish_reason],
    ['No.', 'content_filter'],
  )
})

test('calls of tools are held until they are whole: what is found in their arguments is replaced in their JSON, or blocks', async () => {
  const call = { id: 'call_1', name: 'lookup', arguments: '{"bird":"falcon","n":12}' }
  const tools = [{ type: 'function', function: { name: 'lookup' } }]
  for (const phases of [['output'], ['tool_arguments']]) {
    await guard(word('redact', { phases }))
    scene.fake.always(stream(toolEvents([call, { ...call, id: 'call_2' }])))
    const { chunks } = await chat().stream({ model: MODEL, messages, tools })
    const calls = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])
    assert.deepEqual(
      calls.map(({ id, function: called }) => [id, called?.arguments]),
      [
        ['call_1', '{"bird":"[REDACTED_1]","n":12}'],
        ['call_2', '{"bird":"[REDACTED_1]","n":12}'],
      ],
    )
    await guard(word('block', { phases }))
    scene.fake.always(stream(toolEvents([call])))
    assert.equal((await chat().post({ model: MODEL, messages, tools, stream: true })).status, 403)
  }
})

test('nothing is said in ids, names and counts, nor in members with the names of those that only the gateway sets', async () => {
  await guard(word('redact', { phases: ['output'] }))
  const said = 'one falcon'
  const names = { id: said, system_fingerprint: said, service_tier: said, provider: said, cost: said }
  const own = { gatehouse: { said }, edenai_metadata: { said }, nativeReply: { said }, nativeEvents: [said] }
  const planted = { placedBlocks: [{ type: 'x', block: { said } }], planStart: said }
  const counted = { tier: 'flex', rounds: [{ modality: 'TEXT', tokens: 2, details: { cached: 1 } }] }
  const usage = {
    ...SOME_USAGE,
    ...counted,
    said,
    list: [said],
    lists: [said, { counted: 2 }],
    deep: { said, [said]: 1, counted: 2 },
  }
  const events = textEvents('Hi there', { usage }).map((chunk) => ({
    ...chunk,
    ...names,
    ...own,
    choices: chunk.choices.map((choice) => ({ ...choice, delta: { ...choice.delta, ...planted } })),
  }))
  scene.fake.always((request, response) => {
    const isStream = (request.body as { stream?: boolean }).stream
    const whole = answer({ content: 'Hi there', usage, extra: { ...names, ...own }, message: planted })
    return (isStream ? stream(events) : whole)(request, response)
  })
  const { completion } = await chat().whole({ model: MODEL, messages })
  const { chunks } = await chat().stream({ model: MODEL, messages, stream_options: { include_usage: true } })
  for (const passed of [completion, chunks])
    assert.ok(!JSON.stringify(passed).includes('falcon'), JSON.stringify(passed))
  assert.deepEqual([...new Set([completion, ...chunks].map(({ id }) => id.replace(/-.+/, '')))], ['chatcmpl'])
  assert.equal(new Set(chunks.map(({ id }) => id)).size, 1)
  for (const shown of [completion.usage, chunks.at(-1)?.usage])
    assert.deepEqual(shown, { ...SOME_USAGE, ...counted, deep: { counted: 2 } })
})

test('reasoning and every one of several answers is checked', async () => {
  await guard(word('redact'))
  scene.fake.always(stream(reasoningEvents('I think of a falcon here.', SAID)))
  const { chunks } = await chat().stream({ model: MODEL, messages })
  const piece = (name: 'content' | 'reasoning_content') =>
    chunks.map(({ choices }) => choices[0]?.delta[name] ?? '').join('')
  assert.deepEqual([piece('reasoning_content'), piece('content')], ['I think of a [REDACTED_1] here.', HIDDEN])
  scene.fake.always(stream(interleavedChoices([SAID, 'Nothing here.', 'falcon'])))
  const several = await chat().stream({ model: MODEL, messages, n: 3 })
  const texts = [0, 1, 2].map((index) =>
    several.chunks
      .flatMap(({ choices }) => choices.filter((one) => one.index === index))
      .map(({ delta }) => delta.content ?? '')
      .join(''),
  )
  assert.deepEqual(texts, [HIDDEN, 'Nothing here.', '[REDACTED_1]'])
})

test('personal data is back in the answer if the guardrail restores it, whole and streamed', async () => {
  await guard({ checks: [{ check: 'personal_data', restore: true }], action: 'redact' })
  const asked = [{ role: 'user', content: 'Write to ada@mail.example and [EMAIL_1].' }]
  for (const isStream of [false, true]) {
    says('To [EMAIL_2], and [EMAIL_1], not bob@mail.example.')
    const reply = await chat().post({ model: MODEL, messages: asked, stream: isStream })
    const text = await reply.text()
    const said = isStream
      ? readStream(text)
          .chunks.map(({ choices }) => choices[0]?.delta?.content ?? '')
          .join('')
      : JSON.parse(text).choices[0].message.content
    assert.equal(said, 'To ada@mail.example, and [EMAIL_1], not [EMAIL_3].')
  }
  for (const { text } of scene.fake.requests) assert.ok(!text.includes('ada@'), text)
})

test('what a provider repeats beside each piece of a stream does not pass where the pieces are changed', async () => {
  const message = { role: 'assistant', content: `${SAID} Ask ada@mail.example.` }
  const events = textEvents(message.content).map(({ choices, ...head }) => {
    return { ...head, choices: choices.map((choice) => ({ ...choice, message })) }
  })
  scene.fake.always(stream(events))
  const ask = async (more: object) => await (await scene.chat({ stream: true, ...more })).text()
  await guard()
  assert.match(await ask({}), /"message":\{[^}]*falcon/)
  for (const action of ['redact', 'block']) {
    await guard(word(action))
    assert.doesNotMatch(await ask({}), /falcon/)
  }
  await guard()
  assert.doesNotMatch(await ask({ post_hooks: [{ action: 'redact_pii' }] }), /ada@/)
})

test('flags delay nothing, and are in the header, the metadata and the log', async () => {
  await guard(word('flag'), word('block', { mode: 'shadow' }))
  says(SAID)
  const whole = await chat().whole({ model: MODEL, messages }, METADATA)
  assert.equal(whole.completion.choices[0]!.message.content, SAID)
  assert.equal(whole.headers.get('x-gatehouse-guardrails'), 'g0=flagged(1);g1=would_block(1)')
  assert.ok(!scene.gateway.logs().includes('falcon'))
})

test('images and files cannot be checked, and that is said', async () => {
  await guard(word('block'))
  says('A picture.')
  const content = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }]
  const { status, headers } = await chat().whole({ model: MODEL, messages: [{ role: 'user', content }] })
  assert.deepEqual([status, headers.get('x-gatehouse-guardrails')], [200, 'g0=unscanned(file)'])
})

async function latest(): Promise<Record<string, unknown>> {
  await scene.gateway.gateway.services.calls.ledger.flush()
  const reply = await scene.admin('GET', '/admin/requests?limit=1')
  const { items } = (await reply.json()) as { items: Record<string, unknown>[] }
  return items[0]!
}
