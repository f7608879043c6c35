import type { Usage } from '../../contract/chat-reply.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import { DIALECTS } from '../../translation/dialects/index.ts'
import { isRecord, readCount, recordOf, textOf } from '../../base/schema/record.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import { EventReader } from '../../platform/net/event-reader.ts'
import { lastUsageIn, UsageTail } from '../../money/billing/usage-tail.ts'
import { throughGenerator } from '../../base/bytes/through-generator.ts'
import { withLastEvent } from './last-event.ts'

const SERVER_ERROR = 500

/** Speech as server-sent events: chunks of audio in base64, and the usage at the end. */
export class SpeechEvents {
  readonly #body: AsyncIterable<Uint8Array>
  usage: Usage | undefined
  /** The next bytes tell the client that the audio is complete. */
  isOver = false

  constructor(body: AsyncIterable<Uint8Array>) {
    this.#body = body
  }

  /** The events, unchanged. */
  asTheyAre(): AsyncIterable<Uint8Array> {
    const tail = new UsageTail()
    const onLast = () => {
      this.#count(lastUsageIn(tail.takeText()))
      this.isOver = true
    }
    return withLastEvent(this.#body, { onChunk: (chunk) => tail.add(chunk), onLast })
  }

  /** The audio bytes of the events. */
  audio(): AsyncIterable<Uint8Array> {
    return throughGenerator(this.#body, (body) => this.#audioIn(body))
  }

  async *#audioIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const reader = new EventReader(body)
    let isDone = false
    try {
      for (let batch = await reader.next(); batch; batch = await reader.next())
        for (const { data } of batch) {
          const value = recordOf(tryParse(data))
          if (value.error) throw DIALECTS.openai.chat.problem(SERVER_ERROR, data)
          if (value.type === 'speech.audio.delta') yield Buffer.from(textOf(value.audio), 'base64')
          if (value.type !== 'speech.audio.done') continue
          isDone = true
          this.#count(value.usage)
        }
    } finally {
      reader.close()
    }
    if (!isDone) throw new UpstreamProblem('cut', 'the audio ended before it was complete')
  }

  /** All output tokens are audio. */
  #count(usage: unknown): void {
    if (!isRecord(usage)) return
    const [prompt_tokens, completion_tokens] = [readCount(usage.input_tokens), readCount(usage.output_tokens)]
    if (prompt_tokens === undefined || completion_tokens === undefined) return
    this.usage = {
      prompt_tokens,
      completion_tokens,
      total_tokens: prompt_tokens + completion_tokens,
      completion_tokens_details: { audio_tokens: completion_tokens },
    }
  }
}
