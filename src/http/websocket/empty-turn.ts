/** The events of a response for which no model was asked. A client sends such a request to have its connection ready. */
export function emptyTurn(id: string, model: string, now: number): string[] {
  const response = {
    id,
    object: 'response',
    created_at: Math.floor(now / 1000),
    model,
    store: false,
    error: null,
    incomplete_details: null,
    output: [],
  }
  const usage = {
    input_tokens: 0,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 0,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 0,
    cost: 0,
  }
  return [
    { type: 'response.created', sequence_number: 0, response: { ...response, status: 'in_progress', usage: null } },
    { type: 'response.completed', sequence_number: 1, response: { ...response, status: 'completed', usage } },
  ].map((event) => JSON.stringify(event))
}
