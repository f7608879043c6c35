import assert from 'node:assert/strict'
import { test } from 'node:test'
import type * as google from '@google/genai'
import type { ChatRequest } from '../../../contract/chat.ts'
import type { Target } from '../chat-codec.ts'
import { encode } from './request.ts'
import type {
  FunctionDeclaration,
  FunctionResponse,
  GenerateContentRequest,
  GenerationConfig,
  ThinkingConfig,
  ToolConfig,
  WirePart,
  WireTool,
} from './wire.ts'

// The request compared with the types of Google's own SDK: by the compiler, and by the names in a real body.

/** The SDK has enums where the API has strings. */
type Plain<Type> = Type extends string
  ? `${Type}`
  : Type extends (infer Item)[]
    ? Plain<Item>[]
    : Type extends object
      ? { [Field in keyof Type]: Plain<Type[Field]> }
      : Type

type Config = google.GenerateContentConfig
/** The API has levels in lower case; the SDK writes them in upper case. */
type Thinking = Omit<Plain<google.ThinkingConfig>, 'thinkingLevel'> & {
  thinkingLevel?: Lowercase<`${google.ThinkingLevel}`>
}
/** The config of a call in the SDK is `generationConfig` in the API, and some fields beside it. */
type SdkRequest = {
  contents: Plain<google.Content>[]
  systemInstruction?: Plain<google.Content>
  tools?: Plain<google.Tool>[]
  toolConfig?: Plain<google.ToolConfig>
  generationConfig?: Omit<Plain<Pick<Config, keyof GenerationConfig>>, 'thinkingConfig'> & { thinkingConfig?: Thinking }
  serviceTier?: `${google.ServiceTier}`
  labels?: Config['labels']
}

type Knows<Sdk, Ours> = keyof Ours extends keyof Sdk ? true : false

test('our types are theirs, field by field', () => {
  const asTheirs: (body: GenerateContentRequest) => SdkRequest = (body) => body
  const known: [
    Knows<google.Part, WirePart>,
    Knows<google.Tool, WireTool>,
    Knows<google.ToolConfig, ToolConfig>,
    Knows<google.FunctionDeclaration, FunctionDeclaration>,
    Knows<google.FunctionResponse, FunctionResponse>,
    Knows<google.ThinkingConfig, ThinkingConfig>,
    Knows<Config, GenerationConfig>,
  ] = [true, true, true, true, true, true, true]
  assert.ok(known.every(Boolean) && asTheirs)
})

test('a body with everything in it has no other names', () => {
  const inConfig: (keyof Config)[] = [
    'temperature',
    'topP',
    'maxOutputTokens',
    'stopSequences',
    'seed',
    'presencePenalty',
    'frequencyPenalty',
    'responseLogprobs',
    'logprobs',
    'candidateCount',
    'responseModalities',
    'speechConfig',
    'imageConfig',
    'thinkingConfig',
    'responseMimeType',
    'responseJsonSchema',
    'mediaResolution',
  ]
  const beside: (keyof Config | 'contents' | 'generationConfig')[] = [
    'contents',
    'systemInstruction',
    'tools',
    'toolConfig',
    'generationConfig',
    'serviceTier',
  ]
  const body = JSON.parse(String(encode({ request: EVERYTHING }, TARGET).wire.body))
  assert.deepEqual(Object.keys(body).toSorted(), beside.toSorted())
  assert.deepEqual(Object.keys(body.generationConfig).toSorted(), inConfig.toSorted())
})

const TARGET: Target = { baseUrl: 'https://studio.test/v1beta', model: 'm', traits: { thinking: { by: 'level' } } }

const EVERYTHING: ChatRequest = {
  model: 'google/m',
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://x.test/a.png', detail: 'low' } }] },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: '{}' },
  ],
  temperature: 1,
  top_p: 1,
  max_tokens: 5,
  stop: ['x'],
  seed: 1,
  n: 2,
  presence_penalty: 1,
  frequency_penalty: 1,
  logprobs: true,
  top_logprobs: 1,
  modalities: ['text'],
  audio: { voice: 'Kore' },
  image_config: { aspect_ratio: '1:1' },
  reasoning_effort: 'low',
  response_format: { type: 'json_schema', json_schema: { schema: { type: 'object' } } },
  service_tier: 'flex',
  tools: [{ type: 'function', function: { name: 'f' } }],
  tool_choice: 'auto',
  web_search_options: {},
}
