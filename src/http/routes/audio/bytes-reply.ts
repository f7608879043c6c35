import type { Audio } from '../../../endpoints/audio/speech.ts'
import { ClientGone } from '../../../calls/client-gone.ts'
import { type OpenReply, closeReply, headersOf, writeHead } from '../../open-reply.ts'
import { addHeaders } from '../../common-headers.ts'
import { drained } from '../../drained.ts'

/** Passes bytes on as they arrive. After the first byte, a failure can only be reported by closing the connection. */
export async function bytesReply(open: OpenReply, start: () => Promise<Audio>): Promise<void> {
  const { reply, call } = open
  let isOpen = false
  try {
    const { type, bytes } = await start()
    for await (const chunk of bytes) {
      if (!isOpen) writeHead(open, headersOf(call), ['content-type', type])
      isOpen = true
      if (!reply.raw.write(chunk)) await drained(open)
    }
    if (!isOpen) writeHead(open, headersOf(call), ['content-type', type])
    reply.raw.end()
  } catch (error) {
    if (isOpen || error instanceof ClientGone) return void reply.hijack().raw.destroy()
    addHeaders(reply, headersOf(call))
    throw error
  } finally {
    closeReply(open)
  }
}
