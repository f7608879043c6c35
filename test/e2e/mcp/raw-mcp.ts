import { request } from 'node:http'
import { callHeaders } from '../../../src/translation/mcp/headers.ts'
import { requestMeta } from '../../../src/translation/mcp/meta.ts'
import { requestMessage } from '../../../src/translation/mcp/messages.ts'
import { MODERN_VERSION } from '../../../src/translation/mcp/versions.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'

type Options = { key?: string; path?: string; capabilities?: object }
type Answer = { status: number; headers: Headers; body: ReturnType<typeof JSON.parse> }

/** A request of the newest revision, as it is on the wire. */
export async function rpc(url: string, method: string, params: object, options: Options = {}): Promise<Answer> {
  const { key = API_KEY, path = '/v3/mcp', capabilities = {} } = options
  const whole = { ...params, _meta: requestMeta(MODERN_VERSION, { name: 'raw', version: '1' }, capabilities) }
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json',
      ...callHeaders(MODERN_VERSION, { method, params: whole }),
    },
    body: JSON.stringify(requestMessage(1, method, whole)),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) }
}

/** Any body with any headers, also those that a browser would not let a page set. */
export function post(
  url: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/v3/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json', ...headers },
    })
    sent.on('response', async (answer) => {
      let text = ''
      for await (const piece of answer.setEncoding('utf8')) text += piece
      resolve({ status: answer.statusCode ?? 0, text })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
