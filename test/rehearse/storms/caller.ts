import { type Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { API_KEY } from '../../gateway/gateway-under-test.ts'

/** A request that its caller may abort at any moment, on a connection of its own unless an agent is passed. */
export function call(url: string, body: object, agent: Agent | false = false): ClientRequest {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${API_KEY}` }
  const asking = httpRequest(`${url}/v3/chat/completions`, { method: 'POST', headers, agent })
  // A caller that hangs up gets an error from its own socket.
  asking.on('error', () => undefined).end(JSON.stringify(body))
  return asking
}

/** Reads so many characters, or to the end. The connection stays as it is. */
export async function read(asking: ClientRequest, enough = Number.POSITIVE_INFINITY): Promise<string> {
  const [response] = (await once(asking, 'response')) as [IncomingMessage]
  let text = ''
  for await (const bytes of response.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    text += bytes
    if (text.length > enough) break
  }
  return text
}
