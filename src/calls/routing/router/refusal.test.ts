import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ModelTraits } from '../../../translation/dialects/model-traits.ts'
import type { Caller } from '../../../tenants/access/caller.ts'
import { chooseTargets, type RoutedRequest } from './choose-targets.ts'
import {
  ask,
  CALLER,
  routingServices,
  type Row,
  refused,
  row,
  servicesWith,
  thrownBy,
} from './fixtures/routing-services.ts'

const IMAGE = { type: 'image_url', image_url: 'https://example.test/a.png' } as const
const FILE = { type: 'file', file: { file_id: 'https://example.test/a.pdf' } } as const
const AUDIO = { type: 'input_audio', input_audio: { data: 'AAAA' } } as const
const TOOLS = { tools: [{ type: 'function', function: { name: 'look' } }] }
const SCHEMA = { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: {} } } }

describe('a filter takes the able and refuses the unable', () => {
  const cases: [reason: string, request: RoutedRequest, able: Partial<Row>, unable: Partial<Row>][] = [
    ['vision', withPart(IMAGE), { can: ['vision'] }, { can: ['tools'] }],
    ['vision', withPart(IMAGE), inAndOut(['text', 'image'], ['text']), inAndOut(['text'], ['text'])],
    ['files', withPart(FILE), { can: ['files'] }, { can: ['tools'] }],
    ['files', withPart(FILE), { can: ['vision'] }, { can: ['tools'] }],
    ['audio_input', withPart(AUDIO), { can: ['audio'] }, { can: ['vision'] }],
    ['audio_output', ask('Hi', { modalities: ['audio'] }), inAndOut(['text'], ['text', 'audio']), { can: ['audio'] }],
    ['image_output', ask('Hi', { modalities: ['image'] }), inAndOut(['text'], ['image']), { can: ['vision'] }],
    ['tools', ask('Hi', TOOLS), { can: ['tools'] }, { can: [] }],
    ['tools', ask('Hi', TOOLS), { can: ['tools'] }, { can: ['tools'], traits: { lacks: ['tools'] } }],
    ['json_schema', ask('Hi', SCHEMA), { can: [] }, { traits: { lacks: ['json_schema'] } }],
    [
      'json_schema_with_tools',
      ask('Hi', { ...SCHEMA, ...TOOLS }),
      {},
      { traits: { lacks: ['json_schema_with_tools'] } },
    ],
    ['streaming', ask('Hi', { stream: true }), {}, { traits: { lacks: ['streaming'] } as unknown as ModelTraits }],
    ['context_length', ask('x'.repeat(40_000)), { context: 11_000 }, { context: 9_000 }],
    ['context_length', ask('Hi', { max_tokens: 5_000 }), { context: null }, { context: 5_000 }],
    ['output_length', ask('Hi', { max_tokens: 5_000 }), { output: 5_000 }, { output: 4_999 }],
  ]
  for (const [reason, request, able, unable] of cases) {
    test(`${reason}: ${JSON.stringify(able)} against ${JSON.stringify(unable)}`, () => {
      const { ids, decision } = chooseTargets(request, CALLER, servicesWith([row('unable', unable), row('able', able)]))
      assert.deepEqual(ids, ['any/able'])
      assert.deepEqual(decision.refused, {
        total: 1,
        by_reason: { [reason]: 1 },
        examples: [{ model: 'any/unable', reason }],
      })
      refused(request, CALLER, servicesWith([row('unable', unable)]), /any\/unable/)
    })
  }
})

test('a target whose circuit is open is not asked', () => {
  const services = servicesWith([row('a'), row('b')], {
    circuitIsOpen: ({ id, provider }) => provider === 'any' && id === 'any/a',
  })
  const { ids, decision } = chooseTargets(ask('Hi'), CALLER, services)
  assert.deepEqual(ids, ['any/b'])
  assert.deepEqual(decision.refused.by_reason, { circuit_open: 1 })
})

test('if all candidates that fit have open circuits, the error is 503, not 422', () => {
  const services = servicesWith([row('a'), row('b', { can: [] })], { circuitIsOpen: () => true })
  const error = thrownBy(ask('Hi', TOOLS), CALLER, services)
  assert.deepEqual([error.status, error.code, error.details.retryAfterSeconds], [503, 'overloaded', 1])
  assert.match(error.message, /any\/a/)
  assert.doesNotMatch(error.message, /any\/b/)
})

test('a sandbox key does not mind the circuits of providers it never reaches, nor their credentials', () => {
  const services = routingServices({ any: { rows: [row('a')], configured: false } }, { circuitIsOpen: () => true })
  assert.deepEqual(chooseTargets(ask('Hi'), { ...CALLER, kind: 'sandbox' }, services).ids, ['any/a'])
})

describe('regions and scopes', () => {
  const services = routingServices({
    here: { rows: [row('a'), row('c', { regions: ['global', 'eu'] })], regions: ['global', 'us'] },
    there: { rows: [row('b')], regions: ['global', 'eu'] },
  })
  const cases: [string, Partial<Caller>, string[]][] = [
    ['global: everywhere', {}, ['here/a', 'here/c', 'there/b']],
    ['eu', { region: 'eu' }, ['here/c', 'there/b']],
    ['us', { region: 'us' }, ['here/a']],
    ['one provider', { scopes: ['chat', 'model:here/*'] }, ['here/a', 'here/c']],
    ['one model', { scopes: ['model:there/b'] }, ['there/b']],
    ['no model scope', { scopes: ['chat'] }, ['here/a', 'here/c', 'there/b']],
    ['both', { region: 'eu', scopes: ['model:here/*'] }, ['here/c']],
  ]
  for (const [name, rest, ids] of cases) {
    test(name, () => {
      const named = { router_candidates: ['here/a', 'here/c', 'there/b'] }
      assert.deepEqual(chooseTargets(ask('Hi'), { ...CALLER, ...rest }, services).ids, ids)
      assert.deepEqual(chooseTargets(ask('Hi', named), { ...CALLER, ...rest }, services).ids, ids)
    })
  }

  test('nothing left that the key may use: 403, or 451 for the region, and why', () => {
    const error = thrownBy(ask('Hi'), { ...CALLER, scopes: ['model:unknown/*'] }, services)
    assert.deepEqual([error.status, error.code], [403, 'not_allowed'])
    assert.match(error.message, /this key may not use it/)
    const far = thrownBy(ask('Hi', { router_candidates: ['here/a'] }), { ...CALLER, region: 'eu' }, services)
    assert.deepEqual([far.status, far.code], [451, 'region_not_allowed'])
    assert.match(far.message, /not available in this key's region/)
    // One that the key may use, and that cannot take the request, makes it a matter of the request.
    const long = { router_candidates: ['here/a', 'there/b'], modalities: ['audio'] }
    refused(ask('Hi', long), { ...CALLER, region: 'eu' }, services, /does not produce audio/)
  })

  test('scopes that look alike when joined are not mistaken for each other', () => {
    assert.deepEqual(
      chooseTargets(ask('Hi'), { ...CALLER, scopes: ['model:here/a', 'model:there/*'] }, services).ids.length,
      2,
    )
    const odd = { ...CALLER, scopes: ['model:here/a,model:there/*', 'model:x\nmodel:here/a'] }
    assert.equal(thrownBy(ask('Hi'), odd, services).status, 403)
  })
})

function inAndOut(input: ('text' | 'image')[], output: ('text' | 'image' | 'audio')[]): Partial<Row> {
  return { can: [], modalities: { input, output } }
}

function withPart(part: typeof IMAGE | typeof FILE | typeof AUDIO): RoutedRequest {
  return { model: '@service', messages: [{ role: 'user', content: [part] }] }
}
