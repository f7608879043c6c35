import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import amazonModels from '../catalog/models/amazon.json' with { type: 'json' }
import { MODEL_NAMINGS } from './model-namings.ts'
import { isInRegion, type Located, regionsOfModel } from './model-regions.ts'
import { REGIONS, type Region } from './provider.ts'

const IN_EU: Located = { regions: ['global', 'eu'], modelNaming: 'bedrock' }
const IN_US: Located = { regions: ['global', 'us'], modelNaming: 'bedrock' }
const ACCOUNT = '123456789012'

/** The region beside `global` that a provider in the Union, and one in the United States, promises for the name. */
const BEDROCK: [name: string, fromEu: Region | null, fromUs: Region | null][] = [
  ['anthropic.claude-sonnet-9-v1:0', 'eu', 'us'],
  ['amazon.nova-2-lite-v1:0:256k', 'eu', 'us'],
  ['deepseek.v3.2', 'eu', 'us'],
  ['neural', 'eu', 'us'],
  ['eu.anthropic.claude-sonnet-9-v1:0', 'eu', null],
  ['us.anthropic.claude-sonnet-9-v1:0', null, 'us'],
  ['us-gov.anthropic.claude-sonnet-9-v1:0', null, 'us'],
  ...[
    'global',
    'apac',
    'au',
    'ca',
    'jp',
    'in',
    'me',
    'ch',
    'EU',
    'Us',
    'eu-west',
    'euro',
    'constructor',
    '__proto__',
  ].map((geography): [string, null, null] => [`${geography}.anthropic.claude-sonnet-9-v1:0`, null, null]),
  ...[' eu.anthropic.x', 'eu.anthropic.x ', 'eu..x', 'eu.', 'eu.x', 'eu.global.anthropic.x', 'eu.unheard-of.x'].map(
    (name): [string, null, null] => [name, null, null],
  ),
  ...[
    '',
    'x',
    'abc123def456',
    'anthropic.x/../global.y',
    'anthropic.x?y',
    'anthropic.x%2e',
    'anthropic.',
    'ANTHROPIC.x',
  ].map((name): [string, null, null] => [name, null, null]),
  [arn('eu-central-1', 'inference-profile/eu.anthropic.claude-x'), 'eu', null],
  [arn('us-east-1', 'inference-profile/us.anthropic.claude-x'), null, 'us'],
  [arn('us-east-1', 'inference-profile/eu.anthropic.claude-x'), null, null],
  [arn('eu-central-1', 'inference-profile/us.anthropic.claude-x'), null, null],
  [arn('eu-central-1', 'inference-profile/global.anthropic.claude-x'), null, null],
  [arn('eu-west-2', 'inference-profile/eu.anthropic.claude-x'), null, null],
  [arn('eu-central-1', 'foundation-model/anthropic.claude-x', ''), 'eu', null],
  [arn('us-gov-west-1', 'foundation-model/anthropic.claude-x', ''), null, 'us'],
  ...['provisioned-model', 'imported-model', 'custom-model', 'custom-model-deployment'].flatMap(
    (kind): [string, Region | null, Region | null][] => [
      [arn('eu-west-3', `${kind}/abc`), 'eu', null],
      [arn('us-west-2', `${kind}/abc`), null, 'us'],
      [arn('ap-south-1', `${kind}/abc`), null, null],
    ],
  ),
  ...[
    'application-inference-profile/abc',
    'prompt-router/abc',
    'default-prompt-router/abc',
    'prompt/abc',
    'prompt/abc:1',
  ].map((resource): [string, null, null] => [arn('eu-central-1', resource), null, null]),
  ['arn:aws:sagemaker:eu-central-1:123456789012:endpoint/x', null, null],
  ['arn:aws:bedrock:eu-central-1', null, null],
  ['ARN:AWS:bedrock:eu-central-1:123456789012:provisioned-model/x', null, null],
  [`${arn('eu-central-1', 'provisioned-model/x')}/../y`, null, null],
]

describe('names on Bedrock', () => {
  for (const [name, fromEu, fromUs] of BEDROCK)
    test(JSON.stringify(name), () => {
      assert.deepEqual(regionsOfModel(IN_EU, name, undefined), fromEu ? ['global', fromEu] : ['global'])
      assert.deepEqual(regionsOfModel(IN_US, name, undefined), fromUs ? ['global', fromUs] : ['global'])
      assert.deepEqual(regionsOfModel({ ...IN_EU, regions: ['global'] }, name, undefined), ['global'])
    })

  test('say of every model of the catalog what its line says', () => {
    const rows = amazonModels.models as { id: string; regions?: Region[] }[]
    assert.ok(rows.length > 200)
    for (const { id, regions = REGIONS } of rows) assert.deepEqual(MODEL_NAMINGS.bedrock(id), regions, id)
  })
})

test('a name of Google’s is plain, or may be of another location', () => {
  const vertex: Located = { regions: ['global', 'eu'], modelNaming: 'google' }
  for (const name of ['gemini-9', 'text-embedding-005', 'multimodalembedding@001', 'chirp_3'])
    assert.deepEqual(regionsOfModel(vertex, name, undefined), ['global', 'eu'], name)
  const elsewhere = [
    ...['projects/p/locations/us-central1/endpoints/1', 'publishers/anthropic/models/claude', 'locations/global/x'],
    ...['endpoints/1', '../x', 'a b', 'a?b', 'a#b', 'a%2fb', '', '.', 'tunedModels/x', 'a:b'],
  ]
  for (const name of elsewhere) assert.deepEqual(regionsOfModel(vertex, name, undefined), ['global'], name)
})

test('a name of Oracle’s is that of a model it hosts, or names its region', () => {
  const oci: Located = { regions: ['global', 'eu'], modelNaming: 'oracle' }
  const ocid = (region: string) => `ocid1.generativeaiendpoint.oc1.${region}.amaaaa`
  for (const name of ['cohere.command-a', 'meta.llama-9', ocid('eu-frankfurt-1')])
    assert.deepEqual(regionsOfModel(oci, name, undefined), ['global', 'eu'], name)
  for (const name of [
    'google.gemini-9',
    'xai.grok-9',
    'openai.gpt-9',
    'x',
    '',
    ocid('us-chicago-1'),
    ocid('uk-london-1'),
  ])
    assert.deepEqual(regionsOfModel(oci, name, undefined), ['global'], name)
})

test('who passes calls on promises a region for the models of the catalog only', () => {
  const router: Located = { regions: ['global', 'us'], passesOn: true }
  assert.deepEqual(regionsOfModel(router, 'listed', {}), ['global', 'us'])
  assert.deepEqual(regionsOfModel(router, 'listed', { regions: ['global'] }), ['global'])
  assert.deepEqual(regionsOfModel(router, 'unlisted', undefined), ['global'])
})

test('a line of the catalog takes regions away and adds none', () => {
  assert.deepEqual(regionsOfModel({ regions: ['global', 'eu'] }, 'm', { regions: ['global', 'us'] }), ['global'])
  assert.deepEqual(regionsOfModel({}, 'm', { regions: ['global', 'eu', 'us'] }), ['global'])
})

test('what the operator says of one model is the last word on that model', () => {
  const azure: Located = { modelRegions: { 'our-deployment': ['global', 'eu'] } }
  assert.deepEqual(regionsOfModel(azure, 'our-deployment', undefined), ['global', 'eu'])
  for (const name of ['our-deployment-2', 'constructor', 'toString', '__proto__'])
    assert.deepEqual(regionsOfModel(azure, name, undefined), ['global'], name)
})

test('a key without a region goes everywhere, one with a region nowhere that is not promised', () => {
  assert.ok(isInRegion('global', undefined) && isInRegion('global', ['global']) && isInRegion('eu', ['global', 'eu']))
  assert.ok(!isInRegion('eu', undefined) && !isInRegion('eu', ['global', 'us']) && !isInRegion('us', []))
})

function arn(region: string, resource: string, account = ACCOUNT): string {
  return `arn:aws:bedrock:${region}:${account}:${resource}`
}
