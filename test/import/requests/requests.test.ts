import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COMPARED, COMPARED_ELSEWHERE } from '../../../src/cli/import/litellm/model-names.ts'
import { type ComparedRequest, compareRequests, isSame, recordedRequests } from './compare-requests.ts'

// recorded.jsonl has what LiteLLM 1.109.1 sends for a chat, embeddings, a ranking or an image of each model.

const compared = await compareRequests(recordedRequests())

function nameOf({ model, params }: ComparedRequest): string {
  return `${model} ${params ? JSON.stringify(params) : ''}`
}

test('a target is called exact only if the gateway sends what LiteLLM sends', () => {
  const exact = compared.filter(({ outcome }) => outcome === 'exact')
  const different = exact.filter((one) => !isSame(one)).map((one) => [nameOf(one), one.url, one.body, one.sent])
  assert.deepEqual(different, [])
  const calls = compared.filter(({ outcome, sent }) => outcome === 'manual' && sent).map(nameOf)
  assert.deepEqual(
    calls.filter((name) => !name.includes('commitment')),
    [],
    'what is left out is not called',
  )
})

test('every provider whose requests count as the same has been compared', () => {
  const proven = (kind: string, isElsewhere: boolean) => {
    const rows = compared.filter((one) => one.outcome === 'exact' && one.kind === kind)
    return new Set(rows.filter((one) => isElsewhere === isOwnServer(one)).map(({ model }) => model.split('/')[0]!))
  }
  const missing = (names: ReadonlySet<string>, found: ReadonlySet<string>) =>
    [...names].filter((name) => !found.has(name))
  assert.deepEqual(missing(COMPARED.chat, proven('chat', false)), [])
  assert.deepEqual(missing(COMPARED.embedding, proven('embedding', false)), [])
  assert.deepEqual(missing(COMPARED_ELSEWHERE, proven('chat', true)), [])
})

/** Azure's own row has an address of the operator, too. */
function isOwnServer({ model, params }: ComparedRequest): boolean {
  const source = model.split('/')[0]!
  return source !== 'azure' && (params?.api_base !== undefined || /^(?:bedrock_mantle|codestral)$/.test(source))
}

test('parts of names that only tell LiteLLM how to call a model are in no request', () => {
  const urls = compared.map(({ sent }) => JSON.stringify(sent ?? {}))
  for (const part of ['responses/', 'commitment', 'converse/', 'invoke/', 'o_series', 'nova/arn', 'us-west-2/openai'])
    assert.deepEqual(
      urls.filter((text) => text.includes(part)),
      [],
      part,
    )
})
