import { EventReader } from '../../platform/net/event-reader.ts'
import { readText } from '../../platform/net/read-text.ts'
import type { EgressResponse } from '../../platform/net/egress/guarded-fetch.ts'
import { MB } from '../../base/units/units.ts'
import { recordOf } from '../../base/schema/record.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import type { RpcError } from '../../translation/mcp/errors.ts'
import { readMessage, type RpcId, type RpcResponse } from '../../translation/mcp/messages.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'

/** No list and no result is longer. */
export const MAX_REPLY_BYTES = 4 * MB
/** A server that reports progress more often than this is not making any. */
const MAX_EVENTS = 5_000

/** The response to the request with this id, in a JSON body or as an event. Whatever else comes is passed over. */
export async function readReply({ headers, body }: EgressResponse, id: RpcId, server: string): Promise<RpcResponse> {
  if (/^text\/event-stream\b/i.test(String(headers['content-type'] ?? ''))) return await readEvents(body, id, server)
  const response = responseIn(await readText(body, MAX_REPLY_BYTES), id)
  if (response) return response
  throw new UpstreamProblem('garbage', `the MCP server ${server} did not answer with a response to the request`)
}

async function readEvents(body: EgressResponse['body'], id: RpcId, server: string): Promise<RpcResponse> {
  const events = new EventReader(body)
  let count = 0
  try {
    for (let batch = await events.next(); batch; batch = await events.next()) {
      for (const { data } of batch) {
        const response = responseIn(data, id)
        if (response) return response
      }
      count += batch.length
      if (count > MAX_EVENTS) throw new UpstreamProblem('garbage', `the MCP server ${server} sends events without end`)
    }
    throw new UpstreamProblem('cut', `the MCP server ${server} closed the stream before its response`)
  } finally {
    events.close()
  }
}

function responseIn(text: string, id: RpcId): RpcResponse | undefined {
  try {
    const message = readMessage(tryParse(text))
    return message.kind === 'response' && message.id === id ? message : undefined
  } catch {
    return undefined
  }
}

/** The error in the body of an answer with an error status, if it is one of the protocol. */
export async function errorIn({ body }: EgressResponse): Promise<RpcError | undefined> {
  const text = await readText(body, MAX_REPLY_BYTES)
  const { error } = recordOf(tryParse(text))
  const { code, message, data } = recordOf(error)
  if (!Number.isInteger(code)) return undefined
  return { code: Number(code), message: typeof message === 'string' ? message : '', ...(data != null && { data }) }
}
