import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message } from '../../../../contract/chat.ts'
import { Notes } from '../../../dialects/notes.ts'
import { itemsOfMessages } from './chat-items.ts'

const DETAIL = { type: 'responses.reasoning', provider: 'openai', summary: [], encrypted_content: 'gAAAA' }
const ANSWER: Message & Record<string, unknown> = { role: 'assistant', content: 'Hi', reasoning_details: [DETAIL] }

test('encrypted reasoning goes back to the provider that made it, if it led to something', () => {
  const types = (message: Message, provider: string) => {
    return itemsOfMessages([message], provider, new Notes()).map(({ type }) => type)
  }
  assert.deepEqual(types(ANSWER, 'openai'), ['reasoning', 'message'])
  assert.deepEqual(types(ANSWER, 'azure'), ['message'])
  assert.deepEqual(types({ ...ANSWER, content: null }, 'openai'), [])
})
