import assert from 'node:assert/strict'
import { test } from 'node:test'
import { taskPrice } from '../catalog/task-prices.ts'
import table from '../catalog/task-prices.json' with { type: 'json' }
import { providersOf } from '../../translation/tasks/adapters.ts'
import { FEATURES } from '../../translation/tasks/index.ts'
import { PROVIDER_ALIASES, PROVIDERS } from './providers.ts'
import { TASK_PROVIDERS } from './task-providers.ts'

const CLOUDS = ['amazon', 'google', 'local', 'microsoft', 'mistral', 'openai', 'sandbox']
const ADDRESSES = FEATURES.flatMap((one) => {
  const makers = providersOf(one).filter((provider) => !CLOUDS.includes(provider))
  return makers.map((provider) => `${one.feature}/${one.subfeature}/${provider}`)
}).sort()
const TASKS_ONLY = Object.entries(TASK_PROVIDERS).filter(([id]) => !CLOUDS.includes(id))
const DOERS = new Set(ADDRESSES.map(providerOf))

test('who has a row does a task, and who does a task has a row', () => {
  for (const id of TASKS_ONLY.map(([id]) => id)) assert.ok(DOERS.has(id), id)
  for (const id of DOERS) assert.ok(Object.hasOwn(PROVIDERS, PROVIDER_ALIASES.get(id) ?? id), id)
})

test('a row has no chat, a secure address and a variable by its name', () => {
  for (const [id, { dialect, baseUrl, auth }] of TASKS_ONLY) {
    assert.equal(dialect, undefined)
    assert.match(baseUrl, /^https:\/\//)
    assert.equal(auth.env, `${id.toUpperCase()}_API_KEY`)
  }
})

test('every price is of an adapter, and what has no price is known by name', () => {
  const priced = Object.keys(table.prices).filter((name) => DOERS.has(name.split('/')[2]!))
  for (const name of priced) assert.ok(ADDRESSES.includes(name.split('/').slice(0, 3).join('/')), name)
  const unpriced = ADDRESSES.filter((address) => priceOf(address) === null)
  assert.deepEqual(unpriced, [
    'image/background_removal/picsart',
    'image/background_removal/sentisight',
    'image/explicit_content/api4ai',
    'image/explicit_content/clarifai',
    'image/explicit_content/sentisight',
    'image/face_detection/clarifai',
    'image/face_detection/facepp',
    'image/logo_detection/clarifai',
    'image/object_detection/clarifai',
    'image/object_detection/sentisight',
    'ocr/financial_parser/tabscanner',
    'ocr/ocr/sentisight',
    'text/sentiment_analysis/sapling',
    'translation/language_detection/modernmt',
    'video/generation_async/pixverse',
    'video/generation_async/xai',
    'web/research_async/linkup',
  ])
  for (const address of ADDRESSES) assert.notEqual(priceOf(address)?.price, 0, address)
})

function providerOf(address: string): string {
  return address.split('/')[2]!
}

function priceOf(address: string) {
  const [feature, subfeature, provider] = address.split('/')
  return taskPrice(`${feature}/${subfeature}`, provider!, null)
}
