import { isUtf8 } from 'node:buffer'
import { type Fault, problem } from '../contract/problems.ts'
import { type Outline, outline } from './outline.ts'

/** A parsed body with the text it came from, so that it can be passed on without being written anew. */
export type JsonBody = { value: unknown; text: string; outline: Outline }

export function parseBody(bytes: Buffer): JsonBody {
  if (!isUtf8(bytes)) throw invalid('the body is not valid UTF-8')
  const text = bytes.toString('utf8')
  const found = outline(text)
  const value = parse(text)
  if (found.suspicious) refusePoison(value, ['body'])
  return { value, text, outline: found }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalid(error instanceof Error ? withoutQuotedInput(error.message) : 'not JSON')
  }
}

/** JSON.parse leaves `__proto__` as an own key, harmless until somebody copies it key by key; nobody sends it in good faith. */
function refusePoison(value: unknown, loc: Fault['loc']): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    const place = [...loc, Array.isArray(value) ? Number(key) : key]
    if (key === '__proto__')
      throw refused({ loc: place, msg: 'Extra inputs are not permitted', type: 'extra_forbidden' })
    refusePoison(inner, place)
  }
}

function invalid(reason: string) {
  return refused(
    { loc: ['body'], msg: 'JSON decode error', type: 'json_invalid' },
    `The body is not valid JSON: ${reason}.`,
  )
}

function refused(fault: Fault, message = `${fault.loc.join('.')}: ${fault.msg}`) {
  return problem('validation_error', { message, detail: [fault] })
}

// V8 quotes the neighbourhood of the error; a prompt or a secret may stand there.
function withoutQuotedInput(message: string): string {
  return /at position \d+/.exec(message)?.[0] ?? 'it ends too early or holds an unexpected character'
}
