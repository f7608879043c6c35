export type Fields = Record<string, unknown>
export type Event = Fields & { type: string }
const USAGE = { input_tokens: 1_000_000, output_tokens: 0, total_tokens: 1_000_000 }
export const OWN = {
  id: 'resp_of_openai',
  object: 'response',
  created_at: 1_750_000_000,
  model: 'gpt-5-pro-2025-10-06',
  status: 'completed',
  output: [
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' },
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search' } },
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Hi.', annotations: [] }],
    },
  ],
  usage: USAGE,
  field_of_tomorrow: 1,
}

export const OWN_EVENTS: Event[] = [
  { type: 'response.created', beside: 'a', response: { ...OWN, status: 'in_progress', output: [], usage: null } },
  { type: 'response.output_item.added', output_index: 0, item: { type: 'web_search_call', id: 'ws_1' } },
  { type: 'response.web_search_call.searching', output_index: 0, item_id: 'ws_1' },
  { type: 'response.output_text.delta', output_index: 1, item_id: 'msg_1', content_index: 0, delta: 'Hi.' },
  { type: 'response.completed', beside: 'b', response: OWN },
]

/** The ids of items lead to our stored response, and only OpenAI gets its encrypted reasoning back. */
export function withOurIds(response: unknown): Fields[] {
  const hex = String(response).replace('resp_', '')
  return OWN.output.map((item, at) => ({
    ...item,
    id: `${item.id.replace(/_1$/, '')}_${hex}_n${at}`,
    ...(item.type === 'reasoning' && { encrypted_content: SEALED }),
  }))
}

const DETAIL = { type: 'responses.reasoning', provider: 'openai', summary: [], encrypted_content: 'gAAAA' }
const SEALED = `gatehouse.openai.${Buffer.from(JSON.stringify([DETAIL])).toString('base64url')}`
