import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatRequest } from '../src/contract/chat.ts'
import { Problem } from '../src/contract/problems.ts'
import type { CountTokensRequest } from '../src/contract/tokens.ts'
import type { Target } from '../src/translation/dialects/chat-codec.ts'
import { EMBEDDING_WIRES } from '../src/translation/dialects/embedding-wires/index.ts'
import { call, FOX } from '../src/translation/dialects/image-wires/fixtures/image-calls.ts'
import { IMAGE_WIRES } from '../src/translation/dialects/image-wires/index.ts'
import { DIALECTS } from '../src/translation/dialects/index.ts'
import { SPEECH_WIRES } from '../src/translation/dialects/speech-wires/index.ts'
import { findAdapter, providersOf } from '../src/translation/tasks/adapters.ts'
import { exampleTask } from '../src/translation/tasks/http/fixtures/example-task.ts'
import { performed, recordingOf, toolsAnswering } from '../src/translation/tasks/http/fixtures/recording.ts'
import { TaskFailure } from '../src/translation/tasks/http/task-failure.ts'
import { FEATURES } from '../src/translation/tasks/index.ts'
import { PROVIDERS } from '../src/platform/providers/providers.ts'
import { counterFor } from '../src/endpoints/tokens/counters/index.ts'
import { sample } from './soak/sample.ts'

// Callers choose the names of models and voices, and some end up in a URL. Whatever the name, the request goes to the same
// host, below the same path, with the same query as for any other name.

const BASE_URL = 'https://aiplatform.eu.rep.googleapis.com/v1/projects/p/locations/eu/publishers/google'

/** Replaces a hostile name, to find the part of the URL that the name becomes. */
const PLAIN = 'plain-name-1'

const HOSTILE = [
  ...['.', '..', '...', '../..', '../../other', 'a/../b', 'a/..', './a', '%2e%2e', '%2e%2e/%2e%2e', '..%2f..', '.%2e'],
  ...[
    '?x=1',
    'a?b#c',
    '#',
    'a#',
    '&alt=json',
    ';',
    'a;b=c',
    '//evil.test',
    '\\\\evil.test\\x',
    '\\..\\..',
    '@evil.test',
  ],
  ...[
    'https://evil.test/',
    ':generateContent',
    'a:predict?x',
    'a:streamGenerateContent',
    'a b',
    'a\tb',
    'a\r\nHost: x',
  ],
  ...['\0', '\ud800', 'a\udc00', 'é', '😀', '%', '%zz', '%00', '..;/', '..\u2024', '\uff0e\uff0e', '\uff0f..\uff0f'],
  'projects/other/locations/us-central1/endpoints/1',
  'publishers/google/locations/us-central1/models/x',
  '../../../../../locations/us-central1/publishers/google/models/x',
  'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-x',
  'anthropic.claude-x/../../model/other',
]

/** Plain names, and names with a prefix that makes a dialect choose another path. */
const STEMS = ['', 'stability.sd3-5', 'amazon.titan-embed-text-v2', 'imagen-4.0', 'flux-kontext']
const NAMES = STEMS.flatMap((stem) =>
  HOSTILE.slice(0, stem ? sample(8, HOSTILE.length) : HOSTILE.length).map((name) => stem + name),
)
/** An adapter is loaded and run as a whole for each of these. */
const HOSTILE_TO_TASKS = ['..', 'a?b#c', '\ud800', '../..', ...HOSTILE].slice(0, sample(4, HOSTILE.length))

const CHAT = { messages: [{ role: 'user', content: 'hi' }] }

type Encode = (target: Target) => string

const WIRES: [name: string, encode: Encode][] = [
  ...Object.entries(DIALECTS).flatMap(([name, { chat }]) =>
    [false, true].map((stream): [string, Encode] => [
      `chat by ${name}, ${stream ? 'streamed' : 'whole'}`,
      (target) => chat.encode({ request: { ...CHAT, model: target.model, stream } as ChatRequest }, target).wire.url,
    ]),
  ),
  ...Object.entries(IMAGE_WIRES).flatMap(([name, { encode }]) =>
    [call(), call({ images: [FOX] })].map((input): [string, Encode] => [
      `images by ${name}, ${input.mode}`,
      (target) => encode(input, target).wire.url,
    ]),
  ),
  ...Object.entries(EMBEDDING_WIRES).map(([name, { encode }]): [string, Encode] => [
    `embeddings by ${name}`,
    (target) => encode({ input: 'hi', extra: {} }, target).url,
  ]),
  ...Object.entries(SPEECH_WIRES).map(([name, { encode }]): [string, Encode] => [
    `speech by ${name}`,
    (target) => encode({ input: 'hi', voice: 'alloy', format: 'wav', options: {} }, target).wire.url,
  ]),
  ...(['anthropic', 'google', 'amazon', 'openai'] as const).map((provider): [string, Encode] => [
    `tokens counted by ${provider}`,
    (target) => {
      const counter = counterFor(PROVIDERS[provider]!, 'anthropic.claude')!
      return counter.encode(
        { request: { ...CHAT, model: target.model } as CountTokensRequest, betas: [] } as never,
        target,
      ).url
    },
  ]),
]

describe('no name of a model changes the host, the path around it or the query', () => {
  for (const [name, encode] of WIRES)
    test(name, () => {
      let encoded = 0
      for (const model of NAMES) encoded += staysInPlace(encode, model)
      assert.ok(encoded > 0 || isChosenByName(name), 'no name was encoded at all')
    })
})

/** Formats that know their models by name and refuse all others. */
function isChosenByName(wire: string): boolean {
  return /images by (stability|ideogram|recraft|leonardo|bedrock|bfl)/.test(wire) || /edit$/.test(wire)
}

function staysInPlace(encode: Encode, model: string): number {
  const url = refusable(() => encode({ baseUrl: BASE_URL, model }))
  if (url === undefined) return 0
  assert.ok(!url.includes('#'), url)
  const found = new URL(url)
  const stem = STEMS.findLast((one) => model.startsWith(one))!
  const fallback = refusable(() => encode({ baseUrl: BASE_URL, model: stem + PLAIN }))
  assert.ok(found.href.startsWith(`${BASE_URL}/`), url)
  if (fallback) assertSameAround(found, new URL(fallback), stem + PLAIN)
  return 1
}

function assertSameAround(found: URL, fallback: URL, plain: string): void {
  assert.equal(found.origin + found.search, fallback.origin + fallback.search)
  const [before = '', after] = fallback.pathname.split(encodeURIComponent(plain))
  if (after === undefined) return assert.equal(found.pathname, fallback.pathname)
  assert.ok(found.pathname.startsWith(before) && found.pathname.endsWith(after), found.href)
}

function refusable<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch (error) {
    if (error instanceof Problem || error instanceof TaskFailure) return undefined
    throw error
  }
}

describe('no model, voice or parameter of a task changes the host or the path', () => {
  for (const feature of FEATURES)
    for (const provider of providersOf(feature).filter((one) => one !== 'sandbox' && one !== 'local')) {
      const address = `${feature.feature}/${feature.subfeature}/${provider}`
      test(address, async () => {
        const fallback = await pathsOf(address, PLAIN, feature, provider)
        for (const name of HOSTILE_TO_TASKS)
          for (const path of await pathsOf(address, name, feature, provider)) {
            const matches = fallback.some(
              ({ before, after }) => path.whole.startsWith(before) && path.whole.endsWith(after),
            )
            assert.ok(matches, `${name} leads to ${path.whole}`)
          }
      })
    }
})

type Feature = (typeof FEATURES)[number]

/** Files get random names. */
const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/

/**
 * The URL of the adapter's first request with this name, in every field of a task that takes one. Later requests depend on
 * the provider's answer.
 */
async function pathsOf(address: string, name: string, feature: Feature, provider: string) {
  const { tools, requests } = toolsAnswering(recordingOf(address))
  const task = exampleTask(feature)
  const input = { ...(task.input as object), ...(Object.hasOwn(inputsOf(feature), 'voice') && { voice: name }) }
  const adapter = await findAdapter(feature, provider)!()
  const hostile = { ...task, input, model: name, params: { model: name, version: name, region: name } }
  await performed(adapter, hostile, tools).catch((error: unknown) => {
    if (!(error instanceof Problem || error instanceof TaskFailure)) throw error
  })
  return requests.slice(0, 1).map(({ url }) => {
    const { origin, pathname } = new URL(url.replace(UUID, '<uuid>'))
    const [before = '', after] = pathname.split(encodeURIComponent(name.toWellFormed()))
    return { whole: origin + pathname, before: origin + before, after: after ?? before }
  })
}

function inputsOf({ input }: Feature): object {
  return (input as { properties?: object }).properties ?? {}
}
