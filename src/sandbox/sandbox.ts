import type { Send, SendOptions, WireRequest, WireResponse } from '../contract/wire.ts'
import { readChatRequest } from './chat-request.ts'
import { chunks } from './chunks.ts'
import { completion } from './completion.ts'
import { imageReply, isImageRequest } from './image.ts'
import { REHEARSALS } from './rehearsals.ts'
import { type Reply, replyTo } from './reply-to.ts'
import { UpstreamError } from './upstream-error.ts'
import { bytesOf, eventResponse, finishedEventTexts, jsonResponse } from './wire-response.ts'

/** A provider inside the program that speaks the OpenAI wire. `now` is in milliseconds; nothing else of it varies. */
export function createSandbox({ now }: { now: () => number }): Send {
  return async (request, options) => {
    options.signal.throwIfAborted()
    try {
      return await respond(request, options, Math.floor(now() / 1000))
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      return jsonResponse(error.status, error.body, options.signal, error.headers)
    }
  }
}

async function respond(request: WireRequest, options: SendOptions, created: number): Promise<WireResponse> {
  if (isImageRequest(request)) return await imageReply(request, options, created)
  const reply = replyTo(readChatRequest(request), created)
  const rehearsal = REHEARSALS.get(reply.model) ?? echo
  return rehearsal(reply, options)
}

function echo(reply: Reply, { signal }: SendOptions): WireResponse {
  if (!reply.stream) return jsonResponse(200, completion(reply), signal)
  return eventResponse(bytesOf(finishedEventTexts(chunks(reply)), signal))
}
