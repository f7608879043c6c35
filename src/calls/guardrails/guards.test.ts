import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANY_CALLER } from '../../../test/fakes/any-caller.ts'
import type { ChatRequest } from '../../contract/chat.ts'
import { guardrailOf } from '../../platform/config/guardrails/guardrail-entry.ts'
import type { Guardrail } from '../../platform/config/guardrails/guardrail.ts'
import { GuardrailTable } from '../../tenants/guardrails/guardrail-table.ts'
import { FIXED, ASKED, REPLACED, SECRET } from '../../translation/hooks/fixtures/text-places.ts'
import { Placeholders } from '../../translation/hooks/pii/placeholders.ts'
import { newCall } from '../call.ts'
import { GuardrailBlock } from './guardrail-block.ts'
import { guardedRequest } from './guarded-request.ts'
import { guardStage } from './guard-stage.ts'
import { openGuards } from './guards.ts'

const PERSONAL = { applies_to: 'all', checks: [{ check: 'personal_data' }], action: 'redact' }
const WORD = { applies_to: 'all', checks: [{ check: 'patterns', words: ['ada'] }], action: 'block' }

test('no text reaches the provider, wherever it stands', async () => {
  for (const [place, fields] of Object.entries(REPLACED)) {
    const { guards } = opened(PERSONAL)
    const before = JSON.stringify(fields)
    const text = JSON.stringify(await guardedRequest(requestOf(fields), guards))
    assert.ok(text.includes('[EMAIL_1]') && !text.includes('mail.example'), `${place} ${text}`)
    assert.equal(JSON.stringify(fields), before, place)
  }
})

test('nothing hides in arguments, in addresses of bytes or beside a message', async () => {
  const calling = (json: string) => {
    const calls = [{ id: 'a', type: 'function', function: { name: 'f', arguments: json } }]
    return { messages: [{ role: 'assistant', content: null, tool_calls: calls }, ASKED] }
  }
  for (const fields of [
    calling('{"to":"ada","to":"x"}'),
    calling('{"to": {"a": "ada", "a": 1}}'),
    calling('{"role":"ada"}'),
    calling('{"url":"data:text/ada;base64,AAAA"}'),
    { messages: [{ role: 'user', content: 'data:text/ada;base64,AAAA' }] },
    { messages: [{ role: 'user', content: 'data:text/plain;base64,ada' }] },
  ])
    await assert.rejects(guardedRequest(requestOf(fields), opened(WORD).guards), GuardrailBlock, JSON.stringify(fields))
  const long = { ...PERSONAL, action: 'block' }
  await assert.rejects(
    guardedRequest(requestOf(calling('{"card":4000000000000001400}')), opened(long).guards),
    GuardrailBlock,
  )
  const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,ada' } }
  await guardedRequest(requestOf({ messages: [{ role: 'user', content: [picture] }] }), opened(WORD).guards)
})

test('members of a choice that no format has are left out if something is found in them', async () => {
  const { guards } = opened({ ...WORD, action: 'redact' })
  const answer = { id: 'a', object: 'chat.completion', created: 1, model: 'm' } as const
  const end = { index: 0, finish_reason: 'stop', matched_stop: 'ada', note: 'kept' } as const
  const whole = await guardStage(guards).whole({
    ...answer,
    choices: [{ ...end, message: { role: 'assistant', content: 'x' } }],
  })
  assert.deepEqual(Object.keys(whole.choices[0]!).sort(), ['finish_reason', 'index', 'message', 'note'])
  const chunk = { ...answer, object: 'chat.completion.chunk' as const, choices: [{ ...end, delta: { content: 'x' } }] }
  const left = guardStage(guards)
    .feed([chunk])
    .flatMap(({ choices }) => choices)
  assert.ok(left.some((choice) => 'note' in choice) && left.every((choice) => !('matched_stop' in choice)))
})

test('what cannot be replaced is blocked', async () => {
  for (const [place, fields] of Object.entries(FIXED))
    await assert.rejects(guardedRequest(requestOf(fields), opened(PERSONAL).guards), GuardrailBlock, place)
})

test('what cannot be replaced stays as it is, also where characters that are not seen are many', async () => {
  const id = `call${'\u200b'.repeat(100)}`
  const call = { id, type: 'function', function: { name: 'f', arguments: '{}' } }
  const request = requestOf({ messages: [{ role: 'assistant', content: null, tool_calls: [call] }, ASKED] })
  const { guards } = opened(WORD)
  assert.equal(await guardedRequest(request, guards), request)
  assert.equal(guards.answeredNow(request.messages[0]!), request.messages[0])
})

test('what is to be blocked is blocked wherever it stands, and the error has nothing of it', async () => {
  for (const [place, fields] of Object.entries({ ...REPLACED, ...FIXED }))
    await assert.rejects(guardedRequest(requestOf(fields), opened(WORD).guards), (error) => {
      assert.ok(error instanceof GuardrailBlock, place)
      const { status, code, details } = error
      assert.deepEqual(
        [status, code, details.members],
        [403, 'guardrail_blocked', { guardrail: 'g0', check: 'patterns' }],
      )
      return !error.message.includes('ada')
    })
})

test('the strictest action wins, whatever the order of the guardrails is', async () => {
  const flag = { ...WORD, action: 'flag' }
  const redact = { ...WORD, action: 'redact' }
  for (const all of [
    [flag, redact, WORD],
    [WORD, redact, flag],
    [redact, WORD],
  ])
    await assert.rejects(guardedRequest(requestOf(REPLACED['a text']!), opened(...all).guards), GuardrailBlock)
  const { guards, call } = opened(redact, flag)
  const { messages } = await guardedRequest(requestOf(REPLACED['a text']!), guards)
  assert.equal(messages[0]!.content, '[REDACTED_1]@mail.example')
  assert.deepEqual(
    call.record.guardrails.map(({ guardrail, outcome, count, rules }) => [guardrail, outcome, count, rules]),
    [
      ['g0', 'passed', 0, []],
      ['g1', 'passed', 0, []],
      ['g0', 'redacted', 1, ['word 0']],
      ['g1', 'flagged', 1, ['word 0']],
    ],
  )
})

test('a shadow guardrail changes nothing and says what it would do', async () => {
  const { guards, call } = opened({ ...WORD, mode: 'shadow' }, { ...PERSONAL, mode: 'shadow' })
  const request = requestOf(REPLACED['a text']!)
  assert.equal(await guardedRequest(request, guards), request)
  assert.deepEqual(call.record.guardrails.map(({ outcome }) => outcome).slice(2), ['would_block', 'would_redact'])
})

test('phases: results of tools are a part of the input, arguments of calls a part of the output', async () => {
  const request = requestOf({
    messages: [ASKED, { role: 'tool', tool_call_id: 'a', content: SECRET }],
  })
  const results = opened({ ...WORD, phases: ['tool_results'] })
  await assert.rejects(guardedRequest(request, results.guards), GuardrailBlock)
  assert.equal((await guardedRequest(requestOf(REPLACED['a text']!), results.guards)).messages[0]!.content, SECRET)
  await assert.rejects(guardedRequest(request, opened({ ...WORD, phases: ['input'] }).guards), GuardrailBlock)
  const output = opened({ ...WORD, phases: ['output'] })
  assert.equal(await guardedRequest(request, output.guards), request)
  const call = { tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: `{"to":"${SECRET}"}` } }] }
  await assert.rejects(output.guards.answered(call), GuardrailBlock)
  const calls = opened({ ...WORD, phases: ['tool_arguments'] })
  await assert.rejects(calls.guards.answered(call), GuardrailBlock)
  assert.deepEqual(await calls.guards.answered({ content: SECRET }), { content: SECRET })
})

test('a guardrail holds for some keys, endpoints and models only, and for a fraction of the calls', () => {
  const call = callOf()
  const isOpen = (entry: object, models = ['openai/gpt-5']) => {
    return openGuards(call, () => models, needsOf([guardrail({ ...WORD, ...entry })])) !== undefined
  }
  assert.ok(isOpen({}) && isOpen({ endpoints: ['images', 'chat'] }) && isOpen({ models: ['openai/*'] }))
  assert.ok(
    isOpen({ applies_to: `project:${ANY_CALLER.project}` }) && isOpen({ applies_to: `key:${ANY_CALLER.keyId}` }),
  )
  assert.ok(!isOpen({ applies_to: 'project:another' }) && !isOpen({ endpoints: ['images'] }) && !isOpen({ sample: 0 }))
  assert.ok(!isOpen({ models: ['anthropic/*'] }) && isOpen({ models: ['anthropic/*'] }, ['nick', 'anthropic/claude']))
  const table = needsOf([guardrail({ ...WORD, sample: 0.5 })])
  const sampled = Array.from({ length: 1_000 }, (_, at) => openGuards({ ...call, id: `req_${at}` }, () => [], table))
  const count = sampled.filter((one) => one !== undefined).length
  assert.ok(count > 400 && count < 600, String(count))
})

test('a guardrail that applies since the router has chosen again looks at the request, and then at the answer', async () => {
  const call = callOf()
  const ofOther = guardrail({ ...WORD, id: 'g1', models: ['anthropic/*'] })
  const needs = needsOf([guardrail({ ...PERSONAL, id: 'g0' }), ofOther])
  const first = openGuards(call, () => ['openai/gpt-5'], needs)!
  assert.equal(
    openGuards(call, () => ['openai/gpt-4'], needs, first),
    undefined,
  )
  const added = openGuards(call, () => ['anthropic/claude'], needs, first)!
  assert.deepEqual([added.has('g0'), added.has('g1')], [false, true])
  await assert.rejects(
    guardedRequest(requestOf({ messages: [{ role: 'user', content: 'ada' }] }), added),
    GuardrailBlock,
  )
  await assert.rejects(first.with(added).answered({ content: 'ada' }), GuardrailBlock)
  assert.equal((await first.with(added).answered({ content: 'a@mail.example' })).content, '[EMAIL_1]')
})

test('a guardrail of some models holds where it is not known which model will answer', () => {
  const needs = needsOf([guardrail({ ...WORD, models: ['anthropic/*'] })])
  assert.ok(openGuards(callOf(), () => undefined, needs))
})

test('a text that is too much for the checks is refused, whatever the guardrail says about errors', async () => {
  const digits = '1 '.repeat(4_000_000)
  const { guards } = opened({ ...PERSONAL, on_error: 'open' })
  await assert.rejects(
    guardedRequest(requestOf({ messages: [{ role: 'user', content: digits }] }), guards),
    /too much for its guardrails/,
  )
})

function requestOf(fields: object): ChatRequest {
  return { model: 'sandbox/echo', messages: [ASKED], ...fields } as unknown as ChatRequest
}

function opened(...entries: object[]) {
  const call = callOf()
  const services = needsOf(entries.map((entry, at) => guardrail({ id: `g${at}`, ...entry })))
  return { call, guards: openGuards(call, () => ['openai/gpt-5'], services)! }
}

function callOf() {
  const signal = new AbortController().signal
  return newCall({ id: 'req_1', caller: ANY_CALLER, endpoint: 'chat', startedAt: 0, signal, wantsMetadata: false })
}

function needsOf(all: Guardrail[]) {
  const guardrails = new GuardrailTable()
  guardrails.replace(all, { guardrails: [], unreadable: [] })
  return { placeholders: new Placeholders(), services: { guardrails, loopSlot: async () => {} } }
}

function guardrail(entry: object): Guardrail {
  const read = guardrailOf({ id: 'g', ...entry }, 'file', [])
  if (Array.isArray(read)) throw new Error(JSON.stringify(read))
  return read as Guardrail
}
