import type { ChatRequest } from '../../src/contract/chat.ts'

// One recognizable value for every field of the chat request that a provider receives.

type ProviderFields = Omit<ChatRequest, 'model' | 'messages' | (typeof GATEWAY_FIELDS_SENT)[number]>

/** Fields that the gateway handles itself, by emulation or otherwise, or that are part of the content. */
export const GATEWAY_FIELDS_SENT = [
  ...(['fallbacks', 'router_candidates', 'routing', 'pre_hooks', 'post_hooks', 'n', 'stream_options'] as const),
  ...(['extra_body', 'extra_headers', 'stream', 'session_id', 'cache_marks'] as const),
] as const

export const EVERY_FIELD: Required<{ [Field in keyof ProviderFields]: NonNullable<ProviderFields[Field]> }> = {
  reasoning_effort: 'high',
  metadata: { team: 'blue' },
  frequency_penalty: 0.5,
  presence_penalty: 0.5,
  logit_bias: { 5: 1 },
  logprobs: true,
  top_logprobs: 3,
  max_tokens: 100,
  max_completion_tokens: 200,
  modalities: ['text', 'audio'],
  prediction: { type: 'content', content: 'x' },
  audio: { voice: 'a', format: 'mp3' },
  response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' } } },
  seed: 7,
  service_tier: 'flex',
  stop: ['END'],
  temperature: 0.5,
  top_p: 0.5,
  tools: [{ type: 'function', function: { name: 'f' } }],
  tool_choice: 'required',
  parallel_tool_calls: false,
  user: 'u',
  function_call: { name: 'g' },
  functions: [{ name: 'g', parameters: { type: 'object', properties: {} } }],
  thinking: { type: 'enabled', budget_tokens: 2048 },
  web_search_options: { search_context_size: 'low' },
  verbosity: 'low',
  image_config: { aspect_ratio: '1:1' },
}

/** Other fields that a field needs to have an effect. */
export const BESIDE: { [Field in keyof ProviderFields]?: Partial<ChatRequest> } = {
  tool_choice: { tools: EVERY_FIELD.tools },
  parallel_tool_calls: { tools: EVERY_FIELD.tools },
  function_call: { functions: EVERY_FIELD.functions },
}
