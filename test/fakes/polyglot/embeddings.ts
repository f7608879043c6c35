import { demand, type Fields, onlyKnown } from './wire.ts'

// Vectors as OpenAI makes them: without an id, and as a base64 text only if that is asked for.

type Body = Fields & { model: string; input: string | string[]; encoding_format?: string }

/** Refuses as OpenAI does: a key that is not its own, a field that it does not know, a text that is empty. */
export function embeddings(key: string, authorization: string | undefined, body: unknown): object {
  demand(authorization === `Bearer ${key}`, 'Incorrect API key provided.', 401)
  const { model, input, encoding_format } = onlyKnownIn(body as Body)
  const texts = typeof input === 'string' ? [input] : input
  demand(texts.length > 0 && texts.every((text) => text !== ''), "'$.input' is invalid.")
  const data = texts.map((text, index) => {
    const vector = [text.length, 0.5, -1]
    const written = encoding_format === 'base64' ? base64(vector) : vector
    return { object: 'embedding', index, embedding: written }
  })
  return { object: 'list', data, model, usage: { prompt_tokens: texts.length, total_tokens: texts.length } }
}

function onlyKnownIn(body: Body): Body {
  onlyKnown(body, 'model input encoding_format dimensions user')
  return body
}

function base64(vector: number[]): string {
  return Buffer.from(Float32Array.from(vector).buffer).toString('base64')
}
