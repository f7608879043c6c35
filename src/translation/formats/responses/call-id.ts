import { digestOf } from '../../dialects/short-call-id.ts'

const MAX_CHARS = 64

/** OpenAI refuses longer ids. The same for a call and for its output. */
export function shortEnough(id: string): string {
  return id.length > MAX_CHARS ? `call_${digestOf(id).slice(0, 24)}` : id
}
