import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Notes } from '../../dialects/notes.ts'
import type { Fields } from '../../../base/schema/record.ts'
import { seal } from '../sealed-reasoning.ts'
import { ownChanges } from './own-body.ts'

const BUDGET = { type: 'enabled', budget_tokens: 2000 }
const OWN = { type: 'thinking', thinking: 'Hm.', signature: 'EqQB' }
const FOREIGN = { type: 'thinking', thinking: 'Hm.', signature: seal([{ type: 'gemini.x' }], 'google') }
const CALL = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }
const RESULT = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' }
const ASKED = { role: 'user', content: 'Hi' }

function changed(messages: object[], more: Fields = {}) {
  const notes = new Notes()
  const changes = ownChanges({ messages, max_tokens: 9, ...more }, notes)
  return { ...changes, noted: notes.list.map(({ field }) => field) }
}

function answer(...content: object[]) {
  return { role: 'assistant', content }
}

function results(...content: object[]) {
  return { role: 'user', content }
}

describe('the body for Anthropic', () => {
  test('is the own one of the caller if no other maker took part', () => {
    const messages = [ASKED, answer(OWN, { type: 'text', text: 'So.' }, CALL), results(RESULT)]
    assert.deepEqual(changed(messages, { thinking: BUDGET }), { set: {}, drop: [], noted: [] })
  })

  test('has no thinking if another maker made the last calls, because their thinking is missing', () => {
    const messages = [ASKED, answer(OWN, { type: 'text', text: 'So.' }), ASKED, answer(FOREIGN, CALL), results(RESULT)]
    const { set, drop, noted } = changed(messages, { thinking: BUDGET })
    const sent = [ASKED, answer({ type: 'text', text: 'So.' }), ASKED, answer(CALL), results(RESULT)]
    assert.deepEqual([set.messages, drop, noted], [sent, ['thinking'], ['messages.content.thinking', 'thinking']])
    const adaptive = changed(messages, { thinking: { type: 'adaptive' } })
    assert.deepEqual(adaptive.drop, [])
    assert.deepEqual((adaptive.set.messages as Fields[])[1], messages[1])
  })

  test('has ids that Anthropic accepts, once each, the same in call and result', () => {
    const call = { ...CALL, id: 'functions.f:0' }
    const result = { ...RESULT, tool_use_id: 'functions.f:0' }
    const { set } = changed([ASKED, answer(call), results(result), answer(call), results(result)])
    const blocks = (set.messages as Fields[]).slice(1).flatMap(({ content }) => content as Fields[])
    const ids = blocks.map(({ id, tool_use_id }) => id ?? tool_use_id)
    assert.deepEqual(ids, ['functions_2ef_3a0', 'functions_2ef_3a0', 'functions_2ef_3a0_2', 'functions_2ef_3a0_2'])
  })

  test('has neither blank texts nor empty answers', () => {
    const blank = { type: 'text', text: '\n\n' }
    const { set, noted } = changed([
      ASKED,
      answer(blank, CALL),
      results(RESULT),
      answer(FOREIGN),
      ASKED,
      answer(),
      ASKED,
    ])
    assert.deepEqual(set.messages, [ASKED, answer(CALL), results(RESULT), ASKED, ASKED])
    assert.deepEqual(noted, ['messages.content.thinking'])
  })
})
