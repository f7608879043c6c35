import type { Fields } from './rule.ts'

// The answers of makers, whole and in their own formats, as far as the next request depends on them.

/** What a model says: two calls at once, one call, text, or only reasoning. */
type Saying = 'calls' | 'call' | 'text' | 'nothing'

/** `step` makes ids unique; `signature` is what the maker signs with. */
export type Said = { saying: Saying; step: number; signature: string; thinks: boolean }

export type Answer = (said: Said) => Fields

/** With the longest name that is common, because some makers put it into the ids of calls. */
export const TOOL = 'look_up_current_weather_of_city'
const THOUGHT = 'The user asks about the weather.'
const WORDS = 'I look it up.'
const CITIES = ['Oslo', 'Bern']

type Call = { city: string; at: number }

function callsOf({ saying }: Said): Call[] {
  const count = { calls: 2, call: 1, text: 0, nothing: 0 }[saying]
  return CITIES.slice(0, count).map((city, at) => ({ city, at }))
}

function textOf({ saying }: Said): string {
  return saying === 'nothing' ? '' : WORDS
}

/** An id of this many letters and digits. */
function idOf({ step }: Said, at: number, chars: number): string {
  return `${step}x${at}AbCdEfGhIjKlMnOpQrStUvWxYz`.slice(0, chars).padEnd(chars, '0')
}

export const anthropicAnswer: Answer = (said) => ({
  id: `msg_${said.step}`,
  type: 'message',
  role: 'assistant',
  model: 'm',
  stop_sequence: null,
  content: [
    ...(said.thinks ? [{ type: 'thinking', thinking: THOUGHT, signature: said.signature }] : []),
    ...(textOf(said) ? [{ type: 'text', text: textOf(said) }] : []),
    ...callsOf(said).map(({ city, at }) => ({
      type: 'tool_use',
      id: `toolu_${idOf(said, at, 24)}`,
      name: TOOL,
      input: { city },
    })),
  ],
  stop_reason: callsOf(said).length > 0 ? 'tool_use' : 'end_turn',
  usage: { input_tokens: 9, output_tokens: 9 },
})

export const bedrockAnswer: Answer = (said) => ({
  output: {
    message: {
      role: 'assistant',
      content: [
        ...(said.thinks
          ? [
              {
                reasoningContent: {
                  reasoningText: { text: THOUGHT, ...(said.signature && { signature: said.signature }) },
                },
              },
            ]
          : []),
        ...(textOf(said) ? [{ text: textOf(said) }] : []),
        ...callsOf(said).map(({ city, at }) => ({
          toolUse: { toolUseId: `tooluse_${idOf(said, at, 22)}`, name: TOOL, input: { city } },
        })),
      ],
    },
  },
  stopReason: callsOf(said).length > 0 ? 'tool_use' : 'end_turn',
  usage: { inputTokens: 9, outputTokens: 9, totalTokens: 18 },
})

/** Google signs the first of several calls, and the last part of an answer without calls. */
export const geminiAnswer: Answer = (said) => {
  const calls = callsOf(said).map(({ city, at }) => ({
    functionCall: { name: TOOL, args: { city } },
    ...(at === 0 && { thoughtSignature: said.signature }),
  }))
  const text =
    textOf(said) && calls.length > 0
      ? [{ text: textOf(said) }]
      : [{ text: textOf(said), thoughtSignature: said.signature }]
  const parts = [...(said.thinks ? [{ text: THOUGHT, thought: true }] : []), ...text, ...calls]
  return {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 9, totalTokenCount: 18 },
    modelVersion: 'm',
    responseId: `r${said.step}`,
  }
}

/** The name of the function is in the ids of calls. */
export const cohereAnswer: Answer = (said) => {
  const calls = callsOf(said)
  const content = [
    ...(said.thinks ? [{ type: 'thinking', thinking: THOUGHT }] : []),
    ...(textOf(said) ? [{ type: 'text', text: textOf(said) }] : []),
  ]
  const tool_calls = calls.map(({ city, at }) => ({ ...functionOf(city), id: `${TOOL}_${idOf(said, at, 12)}` }))
  return {
    id: `c${said.step}`,
    message: { role: 'assistant', ...(calls.length > 0 ? { tool_plan: WORDS, tool_calls } : { content }) },
    finish_reason: calls.length > 0 ? 'TOOL_CALL' : 'COMPLETE',
    usage: { billed_units: { input_tokens: 9, output_tokens: 9 }, tokens: { input_tokens: 9, output_tokens: 9 } },
  }
}

export const responsesAnswer: Answer = (said) => ({
  id: `resp_${said.step}`,
  object: 'response',
  created_at: 1,
  model: 'm',
  status: 'completed',
  output: [
    ...(said.thinks
      ? [{ type: 'reasoning', id: `rs_${said.step}`, summary: [], encrypted_content: said.signature }]
      : []),
    ...(textOf(said) ? [outputMessage(said)] : []),
    ...callsOf(said).map(({ city, at }) => {
      const { name, arguments: json } = functionOf(city).function
      return {
        type: 'function_call',
        id: `fc_${idOf(said, at, 9)}`,
        call_id: `call_${idOf(said, at, 24)}`,
        name,
        arguments: json,
        status: 'completed',
      }
    }),
  ],
  usage: { input_tokens: 9, output_tokens: 9, total_tokens: 18 },
})

function outputMessage(said: Said): Fields {
  const content = [{ type: 'output_text', text: textOf(said), annotations: [] }]
  return { type: 'message', id: `msg_${said.step}`, role: 'assistant', status: 'completed', content }
}

function functionOf(city: string) {
  return { type: 'function', function: { name: TOOL, arguments: JSON.stringify({ city }) } }
}

/** How a host of OpenAI's format writes its calls and its reasoning. */
type AnswerShape = {
  id: (said: Said, at: number) => string
  reasoning?: (said: Said) => Fields
  call?: (said: Said, at: number) => Fields
  message?: Fields
  blank?: string
}

function chatAnswer({ id, reasoning, call, message, blank = '' }: AnswerShape): Answer {
  return (said) => {
    const calls = callsOf(said)
    const tool_calls = calls.map(({ city, at }) => ({ ...functionOf(city), id: id(said, at), ...call?.(said, at) }))
    const content = calls.length > 0 ? blank || null : textOf(said)
    const spoken = {
      role: 'assistant',
      content,
      ...message,
      ...(calls.length > 0 && { tool_calls }),
      ...(said.thinks && reasoning?.(said)),
    }
    return {
      id: `chatcmpl-${said.step}`,
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message: spoken, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }],
      usage: { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 },
    }
  }
}

export const openaiAnswer = chatAnswer({
  id: (said, at) => `call_${idOf(said, at, 24)}`,
  message: { refusal: null, annotations: [] },
})

export const groqAnswer = chatAnswer({
  id: (said, at) => `fc_${idOf(said, at, 26)}`,
  reasoning: () => ({ reasoning: THOUGHT }),
})

/** Mistral answers in parts while it thinks. */
export const mistralAnswer = chatAnswer({
  id: (said, at) => idOf(said, at, 9),
  reasoning: ({ saying }) => ({
    content: [
      { type: 'thinking', thinking: [{ type: 'text', text: THOUGHT }] },
      ...(saying === 'nothing' ? [] : [{ type: 'text', text: WORDS }]),
    ],
  }),
})

export const deepseekAnswer = chatAnswer({
  id: (said, at) => `call_0${at}_${idOf(said, at, 20)}`,
  reasoning: () => ({ reasoning_content: THOUGHT }),
})

/** Its ids have characters that others refuse, and begin again with each answer; its models write a line before their calls. */
export const kimiAnswer = chatAnswer({
  id: (_, at) => `functions.${TOOL}:${at}`,
  reasoning: () => ({ reasoning_content: THOUGHT }),
  blank: '\n\n',
})

export const googleChatAnswer = chatAnswer({
  id: (said, at) => `function-call-${idOf(said, at, 19)}`,
  call: ({ signature }, at) => (at === 0 ? { extra_content: { google: { thought_signature: signature } } } : {}),
})

export const openrouterAnswer = chatAnswer({
  id: (said, at) => `toolu_${idOf(said, at, 24)}`,
  message: { refusal: null },
  reasoning: ({ signature }) => ({
    reasoning: THOUGHT,
    reasoning_details: [{ type: 'reasoning.text', text: THOUGHT, signature, format: 'anthropic-claude-v1', index: 0 }],
  }),
})
