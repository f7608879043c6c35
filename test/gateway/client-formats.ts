import { type Fields, listOf, recordOf, recordsIn, textOf } from '../../src/base/schema/record.ts'
import { API_KEY } from './gateway-under-test.ts'

// What a caller of each format is told: the text, how it ended in the words of the format, and whether that was an error.

export type Told = { status: number; text: string; end: string | null; isError: boolean }

export type ClientFormat = {
  /** The words for an answer that ended properly, was cut, or was filtered. */
  words: Record<'proper' | 'cut' | 'filtered', string>
  /** The wire format whose events pass unchanged. */
  own?: string
  path(model: string, isStream: boolean): string
  body(model: string, isStream: boolean): object
  /** The text and the end in a whole answer, or in one event of a stream. */
  read(value: Fields): { text: unknown; end: unknown; error?: unknown }
}

const messages = [{ role: 'user', content: 'Hello' }]

export const CLIENT_FORMATS: Record<string, ClientFormat> = {
  chat: {
    words: { proper: 'stop', cut: 'length', filtered: 'content_filter' },
    path: () => '/v3/chat/completions',
    body: (model, stream) => ({ model, messages, stream }),
    read: ({ choices, error }) => {
      const { message, delta, finish_reason: end } = recordOf(listOf(choices)[0])
      return { text: recordOf(message ?? delta).content, end, error }
    },
  },
  messages: {
    words: { proper: 'end_turn', cut: 'max_tokens', filtered: 'refusal' },
    own: 'anthropic',
    path: () => '/v3/v1/messages',
    body: (model, stream) => ({ model, messages, stream, max_tokens: 9 }),
    read: ({ content, stop_reason, delta, error }) => {
      const { text, stop_reason: end } = recordOf(delta)
      return { text: text ?? textsIn(content), end: stop_reason ?? end, error }
    },
  },
  responses: {
    words: { proper: 'completed', cut: 'incomplete', filtered: 'incomplete' },
    own: 'responses',
    path: () => '/v3/responses',
    body: (model, stream) => ({ model, input: 'Hello', stream }),
    read: ({ type, delta, output, status, response, error }) => {
      const whole = recordsIn(output).map(({ content }) => textsIn(content))
      const isLast = type === 'response.completed' || type === 'response.incomplete'
      return {
        text: type === 'response.output_text.delta' ? delta : whole.join(''),
        end: isLast ? recordOf(response).status : type ? undefined : status,
        error: error ?? recordOf(response).error,
      }
    },
  },
  gemini: {
    words: { proper: 'STOP', cut: 'MAX_TOKENS', filtered: 'SAFETY' },
    own: 'gemini',
    path: (model, isStream) =>
      `/v3/v1beta/models/${model}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: () => ({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }),
    read: ({ candidates, error }) => {
      const { content, finishReason: end } = recordOf(listOf(candidates)[0])
      return { text: textsIn(recordOf(content).parts), end, error }
    },
  },
  cohere: {
    words: { proper: 'COMPLETE', cut: 'MAX_TOKENS', filtered: 'ERROR_TOXIC' },
    path: () => '/v3/v2/chat',
    body: (model, stream) => ({ model, messages, stream }),
    read: ({ message, finish_reason, delta, error }) => {
      const { message: piece, finish_reason: end } = recordOf(delta)
      const text = recordOf(recordOf(piece).content).text ?? textsIn(recordOf(message).content)
      return { text, end: finish_reason ?? end, error }
    },
  },
  completions: {
    words: { proper: 'stop', cut: 'length', filtered: 'content_filter' },
    path: () => '/v3/completions',
    body: (model, stream) => ({ model, prompt: 'Hello', stream }),
    read: ({ choices, error }) => {
      const { text, finish_reason: end } = recordOf(listOf(choices)[0])
      return { text, end, error }
    },
  },
}

function textsIn(list: unknown): string {
  return recordsIn(list)
    .map(({ text }) => textOf(text))
    .join('')
}

/** Asks in a format. `more` are members of the body, such as fallbacks; `others` are headers. */
export async function askIn(
  url: string,
  format: ClientFormat,
  model: string,
  isStream: boolean,
  more: object = {},
  others: Record<string, string> = {},
): Promise<Told> {
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json', ...others }
  const body = JSON.stringify({ ...format.body(model, isStream), ...more })
  const reply = await fetch(url + format.path(model, isStream), { method: 'POST', headers, body })
  // A broken chat has no proper end of its body, which is an error too.
  const { text, isCut } = await wholeText(reply)
  const isEvents = (reply.headers.get('content-type') ?? '').startsWith('text/event-stream')
  const data = isEvents ? [...text.matchAll(/^data: (.*)$/gm)].map(([, line]) => line!) : [text]
  const read = data.filter((line) => line.startsWith('{')).map((line) => format.read(JSON.parse(line)))
  return {
    status: reply.status,
    text: read.map((one) => textOf(one.text)).join(''),
    end: textOf(read.findLast(({ end }) => end != null)?.end) || null,
    isError: isCut || reply.status >= 400 || read.some(({ error }) => error != null),
  }
}

async function wholeText({ body }: Response): Promise<{ text: string; isCut: boolean }> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const bytes of body ?? []) text += decoder.decode(bytes, { stream: true })
    return { text, isCut: false }
  } catch {
    return { text, isCut: true }
  }
}
