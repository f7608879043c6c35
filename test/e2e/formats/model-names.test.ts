import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { HELLO } from '../../gateway/chat-client.ts'
import { gatewayWithAliases } from '../../gateway/gateway-with-aliases.ts'

// Names without a provider, wherever a model is named.

const { admin, chat, whole, post } = await gatewayWithAliases()

describe('a name without a provider', () => {
  for (const [name, model] of [
    ['gpt-4o-mini', 'openai/gpt-4o-mini'],
    ['alpha', 'fake/alpha'],
    ['gpt-4o-mini-2031-01-31', 'openai/gpt-4o-mini-2031-01-31'],
    ['gpt-4o-mini-2031-02-28', 'openai/gpt-4o-mini-2031-02-28'],
    ['gpt-99', 'openai/gpt-99'],
    ['gpt-98.1-codex-mini', 'openai/gpt-98.1-codex-mini'],
    ['o98-pro-2031-01-31', 'openai/o98-pro-2031-01-31'],
  ] as const)
    test(`${name} is ${model}: the maker before a host, and only what is set up`, async () => {
      const { completion } = await chat.whole({ model: name, ...HELLO })
      assert.equal(completion.model, model)
    })

  test('goes where the key may use it', async () => {
    const { key } = await admin.issue({ scopes: ['model:fake/*'] })
    assert.equal((await whole('gpt-4o-mini', key)).completion.model, 'fake/gpt-4o-mini')
    const { status: refused, failure: problem } = await whole('gpt-4.1', key)
    assert.deepEqual([refused, problem.error.code], [403, 'not_allowed'])
  })

  test('works in every endpoint, and as a fallback', async () => {
    for (const [path, body] of [
      ['/v3/v1/messages', { model: 'gpt-4o-mini', max_tokens: 9, ...HELLO }],
      ['/v3/responses', { model: 'gpt-4o-mini', input: 'Hello' }],
      ['/v3/v1/messages/count_tokens', { model: 'gpt-4o-mini', ...HELLO }],
      ['/v3/chat/completions', { model: 'fake/one', fallbacks: ['gpt-4o-mini'], ...HELLO }],
      ['/v3/images/generations', { model: 'image', prompt: 'A door' }],
    ] as const)
      assert.equal((await post(path, body)).status, 200, path)
  })

  test('that is mistyped is a 404 with the nearest names that the key may use', async () => {
    const { status: code, failure: problem } = await chat.whole({ model: 'gpt-4o-mni', ...HELLO })
    assert.deepEqual([code, problem.error.code, problem.error.param], [404, 'model_not_found', 'model'])
    assert.match(problem.error.message, /Did you mean openai\/gpt-4o-mini, fake\/gpt-4o-mini/)
    const { key } = await admin.issue({ scopes: ['model:fake/*'] })
    const { failure: narrow } = await whole('gpt-4o-mni', key)
    assert.match(narrow.error.message, /Did you mean fake\/gpt-4o-mini\?/)
    assert.doesNotMatch(narrow.error.message, /openai\//)
    for (const model of ['opnai/gpt-4o-mini', 'GPT-4o-mini'])
      assert.match((await chat.whole({ model, ...HELLO })).failure.error.message, /openai\/gpt-4o-mini/)
  })

  test('behind a provider, an unknown name is passed on with a note; strict providers answer 404', async () => {
    const { completion } = await chat.whole(
      { model: 'openai/gpt-4o-mni', ...HELLO },
      { headers: { 'x-gatehouse-metadata': 'enabled' } },
    )
    const { notes } = completion.gatehouse as { notes: Record<'field' | 'action' | 'reason', string>[] }
    const [note] = notes
    assert.deepEqual([completion.model, note!.field, note!.action], ['openai/gpt-4o-mni', 'model', 'passed_on'])
    assert.match(note!.reason, /nearest known model is 'openai\/gpt-4o-mini'/)
    for (const model of ['strict/known-modle', 'sandbox/ecko']) {
      const { status: code, failure: problem } = await chat.whole({ model, ...HELLO })
      assert.deepEqual([code, problem.error.code], [404, 'model_not_found'])
      assert.match(problem.error.message, /Did you mean (strict\/known-model|sandbox\/echo)/)
    }
    assert.equal((await chat.whole({ model: 'strict/known-model', ...HELLO })).status, 200)
  })
})
