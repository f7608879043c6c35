import { answer, type Behaviour } from './behaviours.ts'
import { textEvents } from './openai-events.ts'
import { stream } from './stream.ts'

/** Answers whole or streamed, as requested, and waits for the signal after it has begun. */
export function paced(go: Promise<unknown>): Behaviour {
  return async (seen, response) => {
    const { stream: streamed } = seen.body as { stream?: boolean }
    if (streamed) return stream(textEvents('One two three'), { waitFor: go, waitAfter: 3 })(seen, response)
    await go
    return answer()(seen, response)
  }
}
