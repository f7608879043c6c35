import { FollowedEvents } from '../../../endpoints/responses/background/read-events.ts'
import type { OpenReply } from '../../open-reply.ts'
import { type EventFormat, streamReply } from '../../sse.ts'

/** Which events to send, and what has to happen first. */
type Following = { after: number; before?: () => Promise<unknown> }

/** Sends the events of a response in the background, which goes on if the client leaves. */
export async function followReply(open: OpenReply, id: string, { after, before }: Following): Promise<void> {
  const { call, services } = open
  const reader = { owner: call.caller.owner, memory: call.memory! }
  const events = new FollowedEvents({ id, after, reader, signal: call.signal }, services.calls)
  const format: EventFormat<string> = {
    chunks: (texts) => texts.join(''),
    end: () => '',
    failure: (failure) => events.failure(failure),
  }
  const start = async () => {
    await before?.()
    return events
  }
  await streamReply(open, start, format)
}
