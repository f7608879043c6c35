// Whole answers of providers, in three formats.

export const HEAD = { id: 'chatcmpl-1', object: 'chat.completion', created: 1_750_000_000, model: 'm' }
export const CALL = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } }
export const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content: [
    { type: 'thinking', thinking: 'Hm.', signature: 'EqRs' },
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
    { type: 'text', text: 'Hi.' },
    { type: 'tool_use', id: 'toolu_1', name: 'f', input: { city: 'Bern' } },
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 4 },
}
export const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  created_at: 1_750_000_000,
  model: 'm',
  status: 'completed',
  output: [
    { type: 'web_search_call', id: 'ws_1', status: 'completed' },
    { type: 'message', id: 'm_1', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.', annotations: [] }] },
    { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '{}' },
  ],
  usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 },
}
