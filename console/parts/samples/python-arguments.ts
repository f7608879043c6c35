/**
 * Fields that the function of a Python SDK takes as named arguments, in every version of the last years. It refuses other
 * names, so these travel in `extra_body`: fields of the gateway, of other providers, and those that only some versions know.
 */
const NAMED: Readonly<Record<string, string>> = {
  'chat.completions.create':
    'model messages stream stream_options temperature top_p max_tokens max_completion_tokens stop seed n tools tool_choice ' +
    'parallel_tool_calls response_format reasoning_effort frequency_penalty presence_penalty logit_bias logprobs ' +
    'top_logprobs user metadata store service_tier modalities audio prediction',
  'completions.create':
    'model prompt stream stream_options temperature top_p max_tokens stop seed n suffix echo best_of logprobs ' +
    'frequency_penalty presence_penalty logit_bias user',
  'responses.create':
    'model input instructions stream temperature top_p max_output_tokens tools tool_choice parallel_tool_calls text ' +
    'reasoning previous_response_id store metadata include truncation user background service_tier',
  'embeddings.create': 'model input dimensions encoding_format user',
  'moderations.create': 'model input',
  'images.generate': 'model prompt n size quality style response_format background output_format user',
  'audio.speech.create': 'model input voice response_format speed instructions stream_format',
  'models.list': '',
  'messages.create':
    'model messages max_tokens system stream tools tool_choice stop_sequences thinking metadata service_tier',
  'messages.countTokens': 'model messages system tools tool_choice thinking',
  'models.generateContent': 'model contents config',
}

/** The fields of a body as the named arguments of the function that sends it. */
export function pythonArguments(call: string, body: Record<string, unknown> = {}): Record<string, unknown> {
  const named = new Set(NAMED[call]!.split(' '))
  const fields = Object.entries(body)
  const others = fields.filter(([name]) => !named.has(name))
  return {
    ...Object.fromEntries(fields.filter(([name]) => named.has(name))),
    ...(others.length > 0 && { extra_body: Object.fromEntries(others) }),
  }
}
