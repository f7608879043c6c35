import { answer, failure } from '../../fakes/behaviours.ts'
import type { FakeProvider } from '../../fakes/provider.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import { stream } from '../../fakes/stream.ts'

/** The key that clients of LiteLLM send, and so clients of Gatehouse too. */
export const MASTER_KEY = 'sk-compare-8f2c41d09b7e4a6f93d5c1e7'

/** One config.yaml for both gateways. */
export function configYaml(first: string, second: string): string {
  return `
model_list:
  - model_name: chat
    litellm_params: { model: openai/gpt-4o-mini, api_base: "${first}", api_key: sk-of-the-first, temperature: 0.3, max_tokens: 50 }
  - model_name: failing
    litellm_params: { model: openai/always-fails, api_base: "${second}", api_key: sk-of-the-second, max_retries: 0 }
  - model_name: order
    litellm_params: { model: openai/always-fails, api_base: "${second}", api_key: sk-of-the-second, order: 1, max_retries: 0 }
  - model_name: order
    litellm_params: { model: openai/gpt-4o-mini, api_base: "${first}", api_key: sk-of-the-first, order: 2 }
  - model_name: ours-*
    litellm_params: { model: openai/*, api_base: "${first}", api_key: sk-of-the-first }
router_settings:
  num_retries: 0
  fallbacks: [{ failing: [chat] }]
  model_group_alias: { other-name: chat }
litellm_settings: { drop_params: true }
general_settings: { master_key: ${MASTER_KEY} }
`
}

/** The first server answers, whole or streamed. The second one always fails. */
export function prepare(first: FakeProvider, second: FakeProvider): void {
  const [whole, streamed] = [answer(), stream(textEvents('Hello.'))]
  first.always((request, response) =>
    ((request.body as { stream?: boolean }).stream ? streamed : whole)(request, response),
  )
  second.always(failure(500, { message: 'broken', type: 'server_error' }))
}

/** `statuses`: ours and LiteLLM's, where they differ on purpose. Nothing reaches a provider then. */
export type Call = {
  name: string
  body: Record<string, unknown>
  key?: string
  statuses?: readonly [ours: number, theirs: number]
}

const messages = [{ role: 'user', content: 'Hello' }]
const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }]

export const CALLS: readonly Call[] = [
  { name: 'a chat', body: { model: 'chat', messages } },
  { name: 'a field of the caller wins over the config', body: { model: 'chat', messages, temperature: 0.9 } },
  { name: 'a stream', body: { model: 'chat', messages, stream: true } },
  {
    name: 'a stream with usage',
    body: { model: 'chat', messages, stream: true, stream_options: { include_usage: true } },
  },
  { name: 'tools', body: { model: 'chat', messages, tools, tool_choice: 'auto' } },
  {
    name: 'a system message and an image',
    body: { model: 'chat', messages: [{ role: 'system', content: 'Be brief' }, image()] },
  },
  { name: 'another name', body: { model: 'other-name', messages } },
  { name: 'a name with a star', body: { model: 'ours-gpt-4o-mini', messages } },
  { name: 'a fallback', body: { model: 'failing', messages } },
  { name: 'a target of a higher order', body: { model: 'order', messages } },
  { name: 'a wrong key', body: { model: 'chat', messages }, key: 'sk-wrong-key', statuses: [401, 400] },
  { name: 'an unknown model', body: { model: 'unknown-model', messages }, statuses: [404, 400] },
]

function image() {
  const url =
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  return {
    role: 'user',
    content: [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url } },
    ],
  }
}
