import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chooseTargets } from './choose-targets.ts'
import {
  ask,
  CALLER,
  routingServices,
  refused,
  row,
  SANDBOX_ROWS,
  type ProviderModels,
} from './fixtures/routing-services.ts'

describe('the default candidates', () => {
  const sandbox: ProviderModels = { rows: SANDBOX_ROWS, strict: true }

  test('are the chat models of providers that are set up', () => {
    const rows = [row('a'), row('image', { type: 'image' }), row('other', { type: 'responses' })]
    const services = routingServices({ any: { rows }, unset: { rows: [row('b')], configured: false }, sandbox })
    const { ids, decision } = chooseTargets(ask('Hi'), CALLER, services)
    assert.deepEqual(ids, ['any/a'])
    assert.equal(decision.considered, 1)
  })

  test('are the sandbox when nothing else is set up; never a rehearsal', () => {
    const services = routingServices({ unset: { rows: [row('b')], configured: false }, local: {}, sandbox })
    assert.deepEqual(chooseTargets(ask('Hi'), CALLER, services).ids, ['sandbox/echo'])
  })

  test('are none if no provider is set up: 422', () => {
    refused(ask('Hi'), CALLER, routingServices({ any: {} }), /No chat model is set up here/)
  })

  test('follow the catalog and the providers they are asked with', () => {
    const services = routingServices({ any: { rows: [row('a')] }, more: { rows: [row('b')], configured: false } })
    assert.deepEqual(chooseTargets(ask('Hi'), CALLER, services).ids, ['any/a'])
    const { any, more } = services.config.providers
    const config = { providers: { any: any!, more: { ...more!, configured: true } } }
    assert.deepEqual(chooseTargets(ask('Hi'), CALLER, { ...services, config }).ids, ['any/a', 'more/b'])
  })
})

describe('named candidates', () => {
  const services = routingServices({
    any: { rows: [row('a'), row('b'), row('image', { type: 'image' })] },
    closed: { rows: [row('c')], strict: true },
    unset: { rows: [row('d')], configured: false },
    amazon: { rows: [row('e')] },
    sandbox: { rows: SANDBOX_ROWS, strict: true },
  })
  const among = (...names: string[]) => ask('Hi', { router_candidates: names })

  test('only they are chosen from, each once', () => {
    assert.deepEqual(chooseTargets(among('any/b', 'any/b', 'closed/c', 'any/b'), CALLER, services).ids, [
      'any/b',
      'closed/c',
    ])
  })

  test('a name the catalog lacks may be known to its provider', () => {
    const { ids, decision } = chooseTargets(among('any/brand/new:1', 'any/a'), CALLER, services)
    assert.deepEqual(ids, ['any/a', 'any/brand/new:1'])
    assert.equal(decision.ranking[1]?.estimated_cost, null)
  })

  test('a provider may be called by its other name, and is then the same', () => {
    assert.deepEqual(chooseTargets(among('bedrock/e', 'amazon/e'), CALLER, services).ids, ['amazon/e'])
  })

  test('the sandbox can be named, beside others too', () => {
    assert.deepEqual(chooseTargets(among('sandbox/fail-500', 'any/a'), CALLER, services).ids, [
      'sandbox/fail-500',
      'any/a',
    ])
  })

  test('a candidate that is not a chat model is skipped; if it is the only one, the error says so', () => {
    assert.deepEqual(chooseTargets(among('any/image', 'any/a'), CALLER, services).ids, ['any/a'])
    refused(among('any/image'), CALLER, services, /'any\/image' \(is not a chat model\)/)
  })

  test('a candidate without a credential is skipped; if it is the only one, the error says so', () => {
    assert.deepEqual(chooseTargets(among('unset/d', 'any/a'), CALLER, services).ids, ['any/a'])
    refused(among('unset/d'), CALLER, services, /'unset\/d' \(its provider has no credential here\)/)
  })

  for (const name of [
    'unknown/x',
    'closed/x',
    'a',
    '',
    '/',
    'any/',
    '/a',
    '@service',
    'toString/a',
    `any/${'x'.repeat(600)}`,
  ]) {
    test(`'${name.slice(0, 20)}' cannot exist: it is left out and reported, and refused if nothing else is left`, () => {
      const { ids, decision } = chooseTargets(among('any/a', name), CALLER, services)
      assert.deepEqual([ids, decision.refused.by_reason], [['any/a'], { unknown: 1 }])
      const error = refused(among(name), CALLER, services, /is not known here/)
      assert.ok(error.message.includes(name.slice(0, 50)) && error.message.length < 300)
    })
  }

  test('an empty list and an endless one: 422', () => {
    refused(among(), CALLER, services, /at least 1 item/)
    refused(among(...Array.from({ length: 2_001 }, () => 'any/a')), CALLER, services, /at most 2000 items/)
  })

  test('many refused ones make a short message', () => {
    const names = Array.from({ length: 500 }, (_, index) => `unset/${index}`)
    const { message } = refused(among(...names), CALLER, services, /and 495 more/)
    assert.ok(message.length < 600)
  })
})

test('a model that the config file adds without abilities may do anything', () => {
  const added = { id: 'own', type: 'chat', context: null, output: null, price: null, can: [] } as const
  const services = routingServices({ any: { rows: [added], models: [added] } })
  const request = ask('Hi', {
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: 'https://example.test/a.png' }] }],
    tools: [{ type: 'function' }],
    response_format: { type: 'json_schema' },
  })
  assert.deepEqual(chooseTargets(request, CALLER, services).ids, ['any/own'])
})
