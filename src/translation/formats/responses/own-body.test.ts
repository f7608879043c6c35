import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Notes } from '../../dialects/notes.ts'
import type { Fields } from '../../../base/schema/record.ts'
import { ownedItems } from './item-ids.ts'
import { ownBody } from './own-body.ts'

const REASONING = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' }
const CALL = { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' }
const OUTPUT = { type: 'function_call_output', call_id: 'call_1', output: 'x' }
const ASKED = { type: 'message', role: 'user', content: 'Hi' }

function sent(input: object[], provider = 'openai') {
  const notes = new Notes()
  const { input: items } = ownBody({ input }, provider, notes)
  return { items: items as Fields[], noted: notes.list.map(({ field }) => field) }
}

describe('the body for a responses endpoint', () => {
  test('has encrypted reasoning only for the provider that made it', () => {
    const origin = { id: `resp_${'0'.repeat(32)}`, provider: 'openai' }
    const items = [ASKED, ...ownedItems([REASONING, CALL], origin), OUTPUT]
    const { id: _, ...own } = REASONING
    assert.deepEqual(sent(items), { items: [ASKED, own, CALL, OUTPUT], noted: [] })
    assert.deepEqual(sent(items, 'azure'), { items: [ASKED, CALL, OUTPUT], noted: ['input.reasoning'] })
  })

  test('has no reasoning that led to nothing', () => {
    const search = { type: 'web_search_call', id: 'ws_1', status: 'completed' }
    assert.deepEqual(sent([REASONING, ASKED]), { items: [ASKED], noted: ['input.reasoning'] })
    assert.deepEqual(sent([ASKED, REASONING]).items, [ASKED])
    assert.deepEqual(sent([REASONING, REASONING, search, ASKED]).items, [REASONING, REASONING, search, ASKED])
    const answer = { role: 'assistant', content: 'Hi' }
    assert.deepEqual(sent([REASONING, answer]).items, [REASONING, answer])
  })

  test('has ids of calls that are short enough, the same in call and output', () => {
    const call_id = 'x'.repeat(65)
    const { items } = sent([
      { ...CALL, call_id },
      { ...OUTPUT, call_id },
    ])
    assert.match(String(items[0]!.call_id), /^call_[0-9a-f]{24}$/)
    assert.equal(items[0]!.call_id, items[1]!.call_id)
  })
})
