import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { POST_HOOKS, PRE_HOOKS } from '../../src/translation/hooks/index.ts'
import { sample } from '../soak/sample.ts'
import { assertUnblocked } from './drive.ts'
import { type ProbedGateway, startProbedGateway } from './probed-gateway.ts'
import { TEXTS_OF_EVERY_SHAPE } from './text-shapes.ts'
import { MB } from '../../src/base/units/units.ts'

// Runs every hook on texts that almost match what it looks for, before and after a call, whole and streamed.

const LENGTH = sample(64 * 1024, MB)
const EVERY = sample(29, 7)
const HEAP_MB = sample(256, 512)

const SCHEMA = { type: 'object', required: ['a'], properties: { a: { type: 'string', pattern: '^(a|b)*c{3,9}$' } } }

/** Parameters that make a hook work as hard as it can. */
const PARAMS: Record<string, object> = {
  block_patterns: { patterns: ['(a|b)*c\\d+x', '[a-z.]+@[a-z.]+z', '(lorem|ipsum)+ '] },
  json_heal: { retry: true, json_schema: { name: 'x', schema: SCHEMA } },
  moderate: { provider: 'sandbox' },
  pdf_text_extract: {},
  redact_pii: {},
  system_prompt: { text: 'Be brief' },
  translate: { target_language: 'de', provider: 'sandbox' },
  trim_history: { max_tokens: 100 },
}

let gateway: ProbedGateway
before(async () => (gateway = await startProbedGateway(HEAP_MB, {})))
after(() => gateway.close())

let next = 0
for (const [phase, hooks] of Object.entries({ pre_hooks: PRE_HOOKS, post_hooks: POST_HOOKS }))
  for (const action of Object.keys(hooks))
    test(`${phase}: ${action} neither stops nor stalls the gateway`, async () => {
      assert.ok(PARAMS[action], 'This hook needs a line in PARAMS')
      for (const stream of [false, true])
        for (const { name, text } of TEXTS_OF_EVERY_SHAPE.filter(() => next++ % EVERY === 0)) {
          const more = { stream, [phase]: [{ action, params: PARAMS[action] }] }
          const body = (share: number) => bodyOf(text(LENGTH * share), more)
          await assertUnblocked(gateway, { name: `${action}, ${name}`, path: '/v3/chat/completions', body })
        }
    })

test('it is still there, in the memory that is documented', () => gateway.assertBounded({ requests: 1 }))

function bodyOf(content: string, more: object): Buffer {
  return Buffer.from(JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content }], ...more }))
}
