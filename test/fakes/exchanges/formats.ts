import { EVERY_FIELD } from '../every-field.ts'
import { MESSAGE, RESPONSE } from '../whole-answers.ts'

// Requests of callers in every format of a chat.

const TOOL = {
  name: 'f',
  description: 'A tool.',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
}
const CALL = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"city":"Bern"}' } }
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=='
const SCHEMA = { type: 'object', properties: { city: { type: 'string', minLength: 1 } }, required: ['city'] }

/** A conversation with a call of a tool and a picture. */
export const TURNS = [
  { role: 'system', content: 'Be short.' },
  { role: 'user', name: 'ada', content: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }] },
  { role: 'assistant', content: 'Hm.', tool_calls: [CALL], reasoning_content: 'So.', annotations: [] },
  { role: 'tool', tool_call_id: 'call_1', content: 'Rain.' },
  { role: 'user', content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } }] },
]

/** How a format of a chat asks: in short, and with as many fields as it has. */
type Format = { path: (model: string) => string; plain: object; all: object }

/** The same question in every format of a chat. */
export const FORMATS: Record<'chat' | 'messages' | 'responses' | 'gemini' | 'cohere' | 'completions', Format> = {
  chat: {
    path: () => '/v3/chat/completions',
    plain: { messages: [{ role: 'user', content: 'Hi' }] },
    all: {
      ...EVERY_FIELD,
      messages: TURNS,
      tools: [{ type: 'function', function: TOOL }],
      tool_choice: 'auto',
      modalities: ['text'],
      functions: undefined,
      function_call: undefined,
      service_tier: 'auto',
      n: 1,
      fallbacks: ['sandbox/echo'],
      extra_body: { a: 1 },
      routing: { retries: 1 },
      metadata: { team: 'blue' },
    },
  },
  messages: {
    path: () => '/v3/v1/messages',
    plain: { max_tokens: 99, messages: [{ role: 'user', content: 'Hi' }] },
    all: {
      max_tokens: 9_000,
      temperature: 1,
      stop_sequences: ['END'],
      metadata: { user_id: 'u' },
      top_k: 5,
      system: [{ type: 'text', text: 'Be short.', cache_control: { type: 'ephemeral' } }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Hi' }, blockOfPixel()] },
        { role: 'assistant', content: MESSAGE.content },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'x' }] }],
        },
      ],
      tools: [{ name: 'f', description: 'A tool.', input_schema: TOOL.parameters }],
      tool_choice: { type: 'auto' },
      thinking: { type: 'enabled', budget_tokens: 2_000 },
    },
  },
  responses: {
    path: () => '/v3/responses',
    plain: { input: 'Hi', store: false },
    all: {
      instructions: 'Be short.',
      max_output_tokens: 99,
      temperature: 1,
      top_p: 1,
      store: true,
      user: 'u',
      reasoning: { effort: 'low', summary: 'auto' },
      text: { format: { type: 'json_schema', name: 'n', schema: SCHEMA } },
      include: ['reasoning.encrypted_content'],
      metadata: { a: 'b' },
      parallel_tool_calls: true,
      truncation: 'auto',
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
        ...RESPONSE.output.slice(1),
        { type: 'function_call_output', call_id: 'c', output: 'Rain.' },
      ],
      tools: [{ type: 'function', ...TOOL, strict: false }],
      tool_choice: 'auto',
    },
  },
  gemini: {
    path: (model) => `/v3/v1beta/models/${model}:generateContent`,
    plain: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    all: {
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }, { inlineData: { mimeType: 'image/png', data: PIXEL } }] },
        { role: 'model', parts: [{ functionCall: { name: 'f', args: { city: 'Bern' } }, thoughtSignature: 'c2Vh' }] },
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: { said: 'Rain.' } } }] },
      ],
      systemInstruction: { parts: [{ text: 'Be short.' }] },
      generationConfig: {
        temperature: 1,
        maxOutputTokens: 99,
        stopSequences: ['END'],
        candidateCount: 1,
        topK: 5,
        seed: 7,
        responseMimeType: 'application/json',
        responseSchema: { type: 'OBJECT', properties: { a: { type: 'STRING' } } },
        thinkingConfig: { thinkingBudget: 100, includeThoughts: true },
      },
      tools: [
        {
          functionDeclarations: [
            { name: 'f', parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } } } },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
    },
  },
  cohere: {
    path: () => '/v3/v2/chat',
    plain: { messages: [{ role: 'user', content: 'Hi' }] },
    all: {
      messages: TURNS.slice(0, 2),
      max_tokens: 99,
      stop_sequences: ['END'],
      p: 0.5,
      k: 3,
      seed: 7,
      tools: [{ type: 'function', function: TOOL }],
      response_format: { type: 'json_object', json_schema: SCHEMA },
      citation_options: { mode: 'FAST' },
    },
  },
  completions: {
    path: () => '/v3/completions',
    plain: { prompt: 'Hi' },
    all: { prompt: ['Hi', 'Ho'], max_tokens: 9, stop: ['END'], logprobs: 2, echo: false, n: 1, logit_bias: { 5: 1 } },
  },
}

function blockOfPixel() {
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } }
}
