import type { Sound } from '../../../core/speech.ts'
import { ClientGone } from '../../../core/call.ts'
import { type CallLine, closeLine, headersOf, writeHead } from '../../call-line.ts'
import { addHeaders } from '../../common-headers.ts'
import { drained } from '../../drained.ts'

/** Bytes go on as they come. After the first of them a failure can only be told by hanging up. */
export async function bytesReply(line: CallLine, open: () => Promise<Sound>): Promise<void> {
  const { reply, call } = line
  let isOpen = false
  try {
    const { type, bytes } = await open()
    for await (const chunk of bytes) {
      if (!isOpen) writeHead(line, headersOf(call), ['content-type', type])
      isOpen = true
      if (!reply.raw.write(chunk)) await drained(line)
    }
    if (!isOpen) writeHead(line, headersOf(call), ['content-type', type])
    reply.raw.end()
  } catch (error) {
    if (isOpen || error instanceof ClientGone) return void reply.hijack().raw.destroy()
    addHeaders(reply, headersOf(call))
    throw error
  } finally {
    closeLine(line)
  }
}
