import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChatRequest } from '../../contract/chat.ts'
import { foldName } from '../../base/schema/fold-name.ts'
import { MessagesRequest } from '../../contract/messages.ts'
import { reservedBecause } from '../../contract/reserved-headers.ts'
import { ResponsesRequest } from '../../contract/responses.ts'
import { FOR_EVERY_CHAT_PROVIDER, FOR_EVERY_PROVIDER } from './governed-fields.ts'
import { PROVIDERS } from './providers.ts'

const TABLES = [
  ...[FOR_EVERY_PROVIDER, FOR_EVERY_CHAT_PROVIDER],
  ...Object.values(PROVIDERS).map(({ governedFields = {} }) => governedFields),
]

test('no governed field is one of the contract: those the gateway reads itself', () => {
  const contract = [ChatRequest, MessagesRequest, ResponsesRequest].flatMap(({ properties }) => Object.keys(properties))
  const folded = new Set(contract.map(foldName))
  // A conversation of ours is sent as its items and a stored prompt is refused, so the name of neither leaves the gateway.
  for (const name of ['conversation', 'prompt']) folded.delete(name)
  for (const table of TABLES) for (const name of Object.keys(table)) assert.ok(!folded.has(foldName(name)), name)
})

test('no caller can send the header that carries a provider’s credential', () => {
  for (const { auth } of Object.values(PROVIDERS)) if (auth.header) assert.ok(reservedBecause(auth.header), auth.header)
})

test('what a row fills in for the operator is not the caller’s to say', () => {
  for (const [id, { fieldRules, params = {}, governedFields }] of Object.entries(PROVIDERS)) {
    const filled = Object.entries(fieldRules?.defaults ?? {}).filter(([, value]) => {
      return Object.keys({ ...params, ...others(params) }).some((name) => value === `{${name}}`)
    })
    for (const [field] of filled) assert.ok(governedFields?.[field], `${id}.${field}`)
  }
})

function others(params: NonNullable<(typeof PROVIDERS)[string]['params']>): Record<string, true> {
  return Object.fromEntries(Object.values(params).flatMap(({ or }) => (or ? [[or, true as const]] : [])))
}
