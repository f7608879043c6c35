import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import type { ChatRequest, Hook } from '../../contract/chat.ts'
import { readSchema } from '../../base/schema/json-schema.ts'
import { hookIssues, POST_HOOKS, PRE_HOOKS } from './index.ts'

test('every file of an action is listed under its own name', () => {
  for (const [phase, hooks] of [
    ['pre', PRE_HOOKS],
    ['post', POST_HOOKS],
  ] as const) {
    const files = globSync('*.ts', { cwd: join(import.meta.dirname, phase), exclude: ['*.test.ts'] })
    assert.deepEqual(files.map((file) => basename(file, '.ts')).sort(), Object.keys(hooks))
  }
})

test('every parameter has a description, and an issue in it has a message', () => {
  for (const { params, description } of [...Object.values(PRE_HOOKS), ...Object.values(POST_HOOKS)]) {
    assert.ok(description.length > 20)
    assert.doesNotThrow(() => readSchema(params))
  }
})

test('an unknown action is reported at its path, with the actions that exist; those of the other list are unknown too', () => {
  const [pre, post, ...more] = faults({
    pre_hooks: [{ action: 'json_heal' }],
    post_hooks: [valid, { action: 'rm -rf' }],
  })
  assert.deepEqual(more, [])
  assert.deepEqual(pre, {
    loc: ['body', 'pre_hooks', 0, 'action'],
    msg: "Input should be 'block_patterns', 'moderate', 'pdf_text_extract', 'redact_pii', 'system_prompt', 'translate' or 'trim_history'",
    type: 'literal_error',
  })
  assert.deepEqual([post?.loc, post?.type], [['body', 'post_hooks', 1, 'action'], 'literal_error'])
  for (const action of ['__proto__', 'constructor', 'toString'])
    assert.equal(faults({ pre_hooks: [{ action }] }).length, 1)
})

const valid: Hook = { action: 'redact_pii' }
const provider = 'openai'

const FAULTY: [Hook, ...[loc: (string | number)[], type: string][]][] = [
  [{ action: 'system_prompt' }, [['text'], 'missing']],
  [{ action: 'system_prompt', params: { text: '' } }, [['text'], 'string_too_short']],
  [
    { action: 'system_prompt', params: { text: 1, mode: 'x', y: 1 } },
    [['text'], 'string_type'],
    [['mode'], 'literal_error'],
    [['y'], 'extra_forbidden'],
  ],
  [{ action: 'trim_history', params: { max_tokens: 0.5 } }, [['max_tokens'], 'int_from_float']],
  [{ action: 'trim_history', params: { max_tokens: 0 } }, [['max_tokens'], 'greater_than_equal']],
  [{ action: 'redact_pii', params: { kinds: [] } }, [['kinds'], 'too_short']],
  [
    { action: 'redact_pii', params: { kinds: ['email', 'x'], restore: 'yes' } },
    [['kinds', 1], 'literal_error'],
    [['restore'], 'bool_type'],
  ],
  [{ action: 'moderate', params: {} }, [['provider'], 'missing']],
  [{ action: 'moderate', params: { provider, threshold: 2 } }, [['threshold'], 'less_than_equal']],
  [
    { action: 'translate', params: { provider, fallbacks: ['a', 'b', 'c', 'd'] } },
    [['target_language'], 'missing'],
    [['fallbacks'], 'too_long'],
  ],
  [{ action: 'pdf_text_extract', params: { method: 'ocr' } }, [['method'], 'literal_error']],
  [{ action: 'block_patterns', params: { patterns: ['ok', '(a)\\1'] } }, [['patterns', 1], 'value_error']],
  [{ action: 'block_patterns', params: { patterns: ['x'.repeat(201)] } }, [['patterns', 0], 'string_too_long']],
]

test('parameters are checked, and issues are reported at their path', () => {
  for (const [hook, ...expected] of FAULTY) {
    const found = faults({ pre_hooks: [valid, hook] }).map(({ loc, type }) => [loc, type])
    assert.deepEqual(
      found.sort(),
      expected.map(([loc, type]) => [['body', 'pre_hooks', 1, 'params', ...loc], type]).sort(),
    )
  }
  const [issue] = faults({ post_hooks: [{ action: 'json_heal', params: { json_schema: { items: { if: {} } } } }] })
  assert.deepEqual(issue?.loc, ['body', 'post_hooks', 0, 'params', 'json_schema', 'items', 'if'])
})

test('valid hooks have no issues; null and absent mean no parameters', () => {
  const json_heal = { action: 'json_heal', params: { json_schema: { type: 'object' }, retry: true } }
  const pre_hooks = [
    valid,
    { action: 'redact_pii', params: null },
    { action: 'pdf_text_extract', params: { method: 'default' } },
  ]
  assert.deepEqual(faults({ pre_hooks, post_hooks: [json_heal, valid] }), [])
  assert.deepEqual(faults({ pre_hooks: null, post_hooks: [] }), [])
})

test('twenty hooks are allowed, twenty-one are not', () => {
  assert.deepEqual(faults({ post_hooks: Array.from({ length: 20 }, () => valid) }), [])
  assert.deepEqual(faults({ post_hooks: Array.from({ length: 21 }, () => valid) })[0]?.loc, ['body', 'post_hooks'])
})

function faults(hooks: Pick<ChatRequest, 'pre_hooks' | 'post_hooks'>) {
  return hookIssues({ model: 'sandbox/echo', messages: [], ...hooks })
}
