import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatRequest, Message } from '../../../contract/chat.ts'
import { Problem, problem } from '../../../contract/problems.ts'
import { hookTools } from '../fixtures/hook-tools.ts'
import type { PreHook, PreTools } from '../hook.ts'
import { PRE_HOOKS } from '../index.ts'

const SYSTEM: Message = { role: 'system', content: 'Be kind.' }
const TALK: Message[] = [
  SYSTEM,
  { role: 'user', content: 'Write to ada@mail.example.' },
  { role: 'assistant', content: 'Done.' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'And bob@mail.example?' },
      { type: 'image_url', image_url: 'data:,' },
    ],
  },
]

test('system_prompt: before, after, and instead of the existing ones', async () => {
  const roles = async (params: object) =>
    (await run('system_prompt', params)).messages.map(({ role, content }) => [role, content])
  const rest = TALK.map(({ role, content }) => [role, content])
  assert.deepEqual(await roles({ text: 'X' }), [['system', 'X'], ...rest])
  assert.deepEqual(await roles({ text: 'X', mode: 'append', role: 'developer' }), [
    rest[0],
    ['developer', 'X'],
    ...rest.slice(1),
  ])
  assert.deepEqual(await roles({ text: 'X', mode: 'replace' }), [['system', 'X'], ...rest.slice(1)])
})

test('redact_pii: texts and arguments, equal values by the same name; the original request is unchanged', async () => {
  const { tools } = hookTools()
  const call = {
    id: '1',
    type: 'function',
    function: { name: 'f', arguments: '{"to":"ada@mail.example","card":4111111111111111,"n":1.50}' },
  }
  const messages: Message[] = [...TALK, { role: 'assistant', content: null, tool_calls: [call] }]
  const before = structuredClone(messages)
  const request = await run('redact_pii', { restore: true }, tools, messages)
  assert.deepEqual(messages, before)
  assert.equal(request.messages[1]!.content, 'Write to [EMAIL_1].')
  assert.deepEqual((request.messages[3]!.content as object[])[0], { type: 'text', text: 'And [EMAIL_2]?' })
  const [hidden] = request.messages[4]!.tool_calls as (typeof call)[]
  assert.deepEqual(JSON.parse(hidden!.function.arguments), { to: '[EMAIL_1]', card: '[CARD_1]', n: 1.5 })
  assert.equal(tools.placeholders.restore('[EMAIL_2]'), 'bob@mail.example')
})

test('redact_pii: names only if requested, after the patterns, and never through a placeholder or a quote', async () => {
  const names = /Anna[^,]*|Bob/g
  const call = { type: 'function', function: { name: 'f', arguments: '{"to":"Bob","n":7,"by":"Anna\\nLee"}' } }
  const messages: Message[] = [
    { role: 'user', content: 'Anna ada@mail.example "Lee", and Bob' },
    { role: 'assistant', content: null, tool_calls: [call] },
  ]
  const { tools } = hookTools({ names })
  const hidden = await run('redact_pii', { kinds: ['email', 'name'], restore: true }, tools, messages)
  assert.equal(hidden.messages[0]!.content, '[NAME_1] [EMAIL_1] "[NAME_2]", and [NAME_3]')
  const [changed] = hidden.messages[1]!.tool_calls as (typeof call)[]
  assert.deepEqual(JSON.parse(changed!.function.arguments), { to: '[NAME_3]', n: 7, by: '[NAME_1]\n[NAME_2]' })
  assert.equal(tools.placeholders.restore('[NAME_2] [NAME_3]'), 'Lee Bob')
  const untold = await run('redact_pii', {}, hookTools({ names }).tools, messages)
  assert.equal(untold.messages[0]!.content, 'Anna [EMAIL_1] "Lee", and Bob')
  assert.equal(untold.messages[1], messages[1])
})

test('redact_pii: nothing to hide means no change; nothing is restored unless requested', async () => {
  const { tools } = hookTools()
  assert.equal((await run('redact_pii', { kinds: ['card'] }, tools)).messages, TALK)
  await run('redact_pii', {}, tools)
  assert.equal(tools.placeholders.hasValues, false)
})

test('moderate: checks new messages, blocks without repeating them, or flags them and lets them pass', async () => {
  const output = () => ({ items: [finding('insult', 0.9), finding('sexual', 0.2), finding('threat', 0.95)] })
  const { tools, tasks, flags } = hookTools({ output })
  const provider = { provider: 'openai/omni', fallbacks: ['other'] }
  await assert.rejects(run('moderate', provider, tools), (error) => {
    return isBlocked(error) && /threat, insult/.test(error.message) && !/sexual|bob/.test(error.message)
  })
  assert.deepEqual(tasks, [
    { model: 'text/moderation/openai/omni', fallbacks: ['other'], input: { text: 'And bob@mail.example?' } },
  ])
  assert.equal(
    (await run('moderate', { ...provider, mode: 'flag', threshold: 0.1, messages: 'all' }, tools)).messages,
    TALK,
  )
  assert.deepEqual(flags, ['threat', 'insult', 'sexual'])
  assert.match(String(tasks[1]!.input.text), /^Write to .+\n\nDone\.\n\nAnd bob/)
  assert.equal((await run('moderate', { ...provider, threshold: 0.99 }, tools)).messages, TALK)
})

test('block_patterns: blocks, or flags', async () => {
  const { tools, flags } = hookTools()
  await assert.rejects(
    run('block_patterns', { words: ['x', 'DONE'] }, tools),
    (error) => isBlocked(error) && /word 1/.test(error.message),
  )
  assert.equal((await run('block_patterns', { patterns: ['b.b@', 'kind'], mode: 'flag' }, tools)).messages, TALK)
  assert.deepEqual(flags, ['pattern 1', 'pattern 0'])
  assert.equal((await run('block_patterns', { patterns: ['nowhere'] }, tools)).messages, TALK)
})

test('translate: every text once, no system prompts, all or only new messages', async () => {
  const { tools, tasks } = hookTools({ output: (text) => ({ text: text.toUpperCase() }) })
  const messages: Message[] = [...TALK, { role: 'user', content: 'Done.' }]
  const params = { provider: 'deepl', target_language: 'en', source_language: 'de' }
  const all = await run('translate', params, tools, messages)
  assert.deepEqual(texts(all), ['Be kind.', 'WRITE TO ADA@MAIL.EXAMPLE.', 'DONE.', 'AND BOB@MAIL.EXAMPLE?', 'DONE.'])
  assert.equal(tasks.length, 3)
  assert.deepEqual(tasks[0]!.input, {
    text: 'Write to ada@mail.example.',
    target_language: 'en',
    source_language: 'de',
  })
  const some = await run('translate', { ...params, messages: 'new' }, tools, messages)
  assert.deepEqual(texts(some).slice(0, 3), ['Be kind.', 'Write to ada@mail.example.', 'Done.'])
})

test('translate: too many texts are refused before the first call', async () => {
  const { tools, tasks } = hookTools({ output: (text) => ({ text }) })
  const messages = Array.from({ length: 101 }, (_, at): Message => ({ role: 'user', content: `text ${at}` }))
  await assert.rejects(run('translate', { provider: 'x', target_language: 'en' }, tools, messages), Problem)
  assert.equal(tasks.length, 0)
})

test('trim_history: oldest turns go first; calls stay with their results; question and instructions stay', async () => {
  const say = (role: Message['role'], content: string): Message => ({ role, content })
  const call = (id: string): Message => ({ role: 'assistant', content: null, tool_calls: [{ id }] })
  const messages = [
    ...[say('system', 'sys'), say('user', 'one'), say('assistant', 'uno'), say('user', 'two'), say('assistant', 'dos')],
    ...[say('user', 'three'), call('a'), say('tool', 'res a'), call('b'), say('tool', 'res b')],
  ]
  const left = async (max_tokens: number) =>
    texts(await run('trim_history', { max_tokens }, hookTools().tools, messages))
  assert.equal((await left(1_000)).length, 8)
  assert.deepEqual(await left(80), ['sys', 'two', 'dos', 'three', 'res a', 'res b'])
  assert.deepEqual(await left(70), ['sys', 'three', 'res a', 'res b'])
  assert.deepEqual(await left(1), ['sys', 'three', 'res b'])
})

test('pdf_text_extract: the text replaces the file', async () => {
  const data = `data:application/pdf;base64,${Buffer.from('%PDF-1.7 hello').toString('base64')}`
  const content: Message['content'] = [
    { type: 'text', text: 'Read this:' },
    { type: 'file', file: { file_data: data, filename: 'a.pdf' }, cache_control: { type: 'ephemeral' } },
    { type: 'file', file: { file_data: data.split(',')[1]! } },
    { type: 'file', file: { file_data: 'data:text/plain;base64,aGk=' } },
  ]
  const messages: Message[] = [{ role: 'user', content }]
  const { messages: changed } = await run(
    'pdf_text_extract',
    { method: 'default' },
    hookTools({ pdf: 'bytes: ' }).tools,
    messages,
  )
  assert.deepEqual(changed[0]!.content, [
    content[0],
    { type: 'text', text: 'a.pdf\n\nbytes: 14', cache_control: { type: 'ephemeral' } },
    { type: 'text', text: 'bytes: 14' },
    content[3],
  ])
  assert.equal((await run('pdf_text_extract', {})).messages, TALK)
})

test('pdf_text_extract: a file that cannot be read is refused at its path', async () => {
  const { tools } = hookTools()
  const textOfDocument = () => Promise.reject(problem('validation_error', { message: 'This PDF file is encrypted' }))
  const messages: Message[] = [
    SYSTEM,
    { role: 'user', content: [{ type: 'file', file: { file_data: 'JVBERi0xLjc=' } }] },
  ]
  await assert.rejects(run('pdf_text_extract', {}, { ...tools, textOfDocument }, messages), (error) => {
    return error instanceof Problem && error.details.detail?.[0]?.loc.join('.') === 'body.messages.1.content.0.file'
  })
})

async function run(
  action: string,
  params: object,
  tools: PreTools = hookTools().tools,
  messages = TALK,
): Promise<ChatRequest> {
  const hook: PreHook = PRE_HOOKS[action]!
  return await hook.run({ model: 'sandbox/echo', messages }, params, tools)
}

function texts({ messages }: ChatRequest): string[] {
  return messages.flatMap(({ content }) => {
    if (typeof content === 'string') return [content]
    return (content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : []))
  })
}

function finding(label: string, likelihood_score: number) {
  return { label, likelihood_score }
}

function isBlocked(error: unknown): error is Problem {
  return error instanceof Problem && error.status === 400 && error.code === 'content_blocked'
}
