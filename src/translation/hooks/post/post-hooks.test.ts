import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../../../contract/problems.ts'
import { hookTools } from '../fixtures/hook-tools.ts'
import type { AnswerTexts, AnswerHook, FilterHook, PostTools } from '../hook.ts'
import { POST_HOOKS } from '../index.ts'

const SCHEMA = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } }

test('json_heal: repairs and checks, and leaves valid answers, tool calls and refusals unchanged', async () => {
  const { tools } = hookTools()
  assert.equal((await run('json_heal', {}, '```json\n{n: 1,}\n```', tools)).content, '{"n":1}')
  assert.equal((await run('json_heal', { json_schema: SCHEMA }, ' {"n": 1}\n', tools)).content, ' {"n": 1}\n')
  const others = [answer(null, { callsTools: true }), answer(null, { refusal: 'No.' })]
  for (const one of others) assert.equal(await answerHook('json_heal').run(one, {}, tools), one)
})

test('json_heal: an answer that does not match is an error with a reason, or passes and is flagged', async () => {
  const { tools, flags, input: request } = hookTools()
  for (const content of ['words', '', '{"n": "1"}']) {
    await assert.rejects(run('json_heal', { json_schema: SCHEMA }, content, tools), (error) => {
      return error instanceof Problem && error.status === 502 && /not the requested JSON/.test(error.message)
    })
  }
  assert.equal(
    (await run('json_heal', { json_schema: SCHEMA, on_failure: 'pass' }, '{"n": "1"}', tools)).content,
    '{"n": "1"}',
  )
  assert.deepEqual([flags, request], [['n: Input should be a valid integer'], []])
})

test('json_heal: asks the model once more if requested, with the issues', async () => {
  const { tools, input: request } = hookTools({ again: '{"n": 2}' })
  const params = { json_schema: { name: 'x', schema: SCHEMA }, retry: true }
  assert.equal((await run('json_heal', params, '{"n": "two"}', tools)).content, '{"n": 2}')
  assert.equal((await run('json_heal', params, '{"n": 1}', tools)).content, '{"n": 1}')
  assert.deepEqual(
    request.map((messages) => messages.map(({ role }) => role)),
    [['user', 'assistant', 'user']],
  )
  assert.match(String(request[0]!.at(-1)?.content), /n: Input should be a valid integer[\s\S]+"required":\["n"\]/)
  for (const again of ['still words', undefined]) {
    const { tools, input: body } = hookTools({ ...(again && { again }) })
    await assert.rejects(run('json_heal', params, 'words', tools), Problem)
    assert.equal(body.length, 1)
  }
})

test('json_heal: without a schema of its own, the one of response_format counts', async () => {
  const { tools } = hookTools()
  const response_format = { type: 'json_schema', json_schema: { name: 'x', schema: SCHEMA } }
  const request = { ...tools, request: { ...tools.request, response_format } }
  await assert.rejects(run('json_heal', {}, '{"n": "1"}', request), Problem)
})

test('moderate: checks all texts, and the caller waits only to block', async () => {
  const { tools, tasks, flags } = hookTools({ output: () => ({ items: [{ label: 'hate', likelihood_score: 0.8 }] }) })
  const said = answer('Words', { refusal: 'no', reasoning_content: 'hm' })
  const hook = answerHook('moderate')
  await assert.rejects(async () => await hook.run(said, { provider: 'openai' }, tools), { code: 'content_blocked' })
  assert.equal(await hook.run(said, { provider: 'openai', mode: 'flag' }, tools), said)
  assert.deepEqual([tasks[0]!.input, flags], [{ text: 'hm\n\nWords\n\nno' }, ['hate']])
  assert.deepEqual([hook.holds({ provider: 'x' }), hook.holds({ provider: 'x', mode: 'flag' })], [true, false])
  await hook.run(answer(null), { provider: 'openai' }, tools)
  assert.equal(tasks.length, 2)
})

test('translate: content and refusal, not the reasoning', async () => {
  const { tools } = hookTools({ output: (text) => ({ text: text.toUpperCase() }) })
  const said = answer('one', { refusal: 'two', reasoning_content: 'three' })
  const after = await answerHook('translate').run(said, { provider: 'x', target_language: 'de' }, tools)
  assert.deepEqual(after, { ...said, content: 'ONE', refusal: 'TWO' })
})

test('redact_pii: replaces texts, but not the arguments of calls; never restored', () => {
  const { tools } = hookTools()
  const open = (POST_HOOKS.redact_pii as FilterHook).open({}, tools)
  const filter = open('content')!
  assert.equal(filter.push('to ada@mail.example.') + filter.end(), 'to [EMAIL_1].')
  assert.equal(open('arguments'), undefined)
  assert.equal(tools.placeholders.hasValues, false)
})

test('redact_pii: whole answers are searched for names only if requested', async () => {
  const { tools } = hookTools({ names: /Anna/g })
  const hook = POST_HOOKS.redact_pii as FilterHook
  for (const params of [{}, { kinds: null }, { kinds: ['email'] }])
    assert.equal(hook.onWhole!(params, tools), undefined)
  const said = answer('Anna', { reasoning_content: 'Is it Anna?' })
  const after = await hook.onWhole!({ kinds: ['address', 'name'] }, tools)!(said)
  assert.deepEqual(after, { ...said, content: '[NAME_1]', reasoning_content: 'Is it [NAME_1]?' })
  assert.equal(tools.placeholders.hasValues, false)
})

test('block_patterns: blocks in every place, or flags and lets pass at once', () => {
  const { tools, flags } = hookTools()
  const hook = POST_HOOKS.block_patterns as FilterHook
  const filter = hook.open({ words: ['secret'] }, tools)('arguments')!
  assert.equal(filter.push('a secre'), 'a ')
  assert.throws(() => filter.push('t!'), { code: 'content_blocked', status: 400 })
  const noting = hook.open({ words: ['secret'], mode: 'flag' }, tools)('content')!
  assert.equal(noting.push('a secre') + noting.push('t!') + noting.push(' secret') + noting.end(), 'a secret! secret')
  assert.deepEqual(flags, ['word 0'])
})

async function run(action: string, params: object, content: string | null, tools: PostTools): Promise<AnswerTexts> {
  return await answerHook(action).run(answer(content), params, tools)
}

function answerHook(action: string): AnswerHook {
  return POST_HOOKS[action] as AnswerHook
}

function answer(content: string | null, more: Partial<AnswerTexts> = {}): AnswerTexts {
  return { content, refusal: null, reasoning_content: null, callsTools: false, ...more }
}
