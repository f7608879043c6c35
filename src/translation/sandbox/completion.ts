import type { Answer, Reply } from './reply-to.ts'

/** The reply as one `chat.completion` document. */
export function completion(reply: Reply): object {
  return {
    ...envelope(reply, 'chat.completion'),
    choices: Array.from({ length: reply.choiceCount }, (_, index) => ({
      index,
      message: { role: 'assistant', ...message(reply.answer, callId(reply, index)) },
      logprobs: null,
      finish_reason: reply.finishReason,
    })),
    usage: usage(reply),
  }
}

export function envelope({ fingerprint, created, model }: Reply, object: string) {
  return { id: `chatcmpl-${fingerprint}`, object, created, model, system_fingerprint: 'sandbox' }
}

export function usage({ usage: { promptTokens, completionTokens } }: Reply) {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  }
}

export function callId({ fingerprint }: Reply, index: number): string {
  const order = index.toString(16).padStart(2, '0')
  return `call_${fingerprint.slice(0, 22)}${order}`
}

function message(answer: Answer, id: string): object {
  const { kind, text } = answer
  if (kind === 'text') return { content: text, refusal: null }
  const silent = { content: null, refusal: null }
  const called = { name: answer.name, arguments: text }
  if (kind === 'legacy') return { ...silent, function_call: called }
  if (kind === 'function') return { ...silent, tool_calls: [{ id, type: 'function', function: called }] }
  return { ...silent, tool_calls: [{ id, type: 'custom', custom: { name: answer.name, input: text } }] }
}
