import type { Delta } from '../../../contract/chat-reply.ts'
import { textOf } from '../../../base/schema/record.ts'

/** Joins base64 that arrives in pieces. A piece may end in the middle of three bytes, so the rest waits for the next one. */
export class AudioJoiner {
  readonly #id: string
  #remainder: Uint8Array = new Uint8Array()
  #begun = false

  constructor(id: string) {
    this.#id = id
  }

  /** `before` is the audio that the same delta already has. */
  add(base64: string, format: string, before: Delta['audio']): Pick<Delta, 'audio'> {
    const bytes = Buffer.concat([this.#remainder, Buffer.from(base64, 'base64')])
    const whole = bytes.length - (bytes.length % 3)
    this.#remainder = bytes.subarray(whole)
    const data = textOf(before?.data) + bytes.toString('base64', 0, whole)
    // Clients join repeated texts, so the id and the format are sent only once.
    const head = this.#begun ? {} : { id: this.#id, format, transcript: '' }
    this.#begun = true
    return { audio: { ...head, ...before, data } }
  }

  rest(): Pick<Delta, 'audio'> {
    if (this.#remainder.length === 0) return {}
    const data = Buffer.from(this.#remainder).toString('base64')
    this.#remainder = new Uint8Array()
    return { audio: { data } }
  }
}
