type Parts = {
  type?: string
  delta?: string | { text?: string; message?: { content?: { text?: string } } }
  choices?: { text?: string; delta?: { content?: string | null } }[]
  candidates?: { content?: { parts?: { text?: string }[] } }[]
}

/** The text that an event adds to the answer, in any of the formats that the API streams. */
export function textIn(data: string): string {
  const event = parsed(data)
  if (!event) return ''
  const { choices = [], candidates = [], delta } = event
  const chat = choices.map((choice) => choice.delta?.content ?? choice.text ?? '')
  const gemini = candidates.flatMap(({ content }) => (content?.parts ?? []).map(({ text }) => text ?? ''))
  return [...chat, ...gemini, deltaText(event.type, delta)].join('')
}

/** Responses and transcriptions have a text, messages and Cohere's chats an object. */
function deltaText(type: string | undefined, delta: Parts['delta']): string {
  if (typeof delta === 'string') return /(?:output_text|text)\.delta$/.test(type ?? '') ? delta : ''
  return delta?.text ?? delta?.message?.content?.text ?? ''
}

function parsed(data: string): Parts | undefined {
  try {
    const value: unknown = JSON.parse(data)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
