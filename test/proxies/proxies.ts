import { connect as connectHttp2 } from 'node:http2'
import { request as requestHttp1 } from 'node:http'
import { OpenAI } from 'openai'
import { textEvents } from '../fakes/openai-events.ts'
import { stream } from '../fakes/stream.ts'
import { ASK } from '../gateway/chat-client.ts'
import { API_KEY } from '../gateway/gateway-under-test.ts'
import { type GatewayWithFakes, startGatewayWithFakes } from '../gateway/gateway-with-fakes.ts'
import { FORWARD_PROXIES, type ForwardProxy, isInstalled } from './forward-proxies.ts'
import { nginxVersion, startNginx, type Way } from './nginx.ts'
import { closeClients, tryForwardProxy } from './outbound.ts'
import { type Line, report } from './report.ts'

// `npm run proxies`: what clients behind a real nginx see of whole and of broken streams, and the gateway's own way out through
// a real tinyproxy and a real Squid.

const WORDS = 40
const EVENTS = textEvents('word '.repeat(WORDS))
const WHOLE = stream(EVENTS)
const BROKEN = stream([...EVENTS.slice(0, WORDS), { error: { message: 'It broke.', code: 500 } }])
const BODY = JSON.stringify({ ...ASK, stream: true })
const HEADERS = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
const PATH = '/v3/chat/completions'

type Read = { text: string; isComplete: boolean }

const wrong: string[] = []
const version = await nginxVersion()
if (version) await rehearse(version)
else console.log('Skipped: there is no nginx on this machine (Debian: apt-get install nginx).')
for (const proxy of FORWARD_PROXIES)
  if (isInstalled(proxy)) await rehearseOutbound(proxy)
  else console.log(`Skipped: there is no ${proxy.name} on this machine (Debian: apt-get install ${proxy.debian}).`)
await closeClients()
console.log(wrong.length === 0 ? 'Nothing is wrong.' : `${wrong.length} wrong.`)
process.exitCode = wrong.length === 0 ? 0 : 1

async function rehearseOutbound(proxy: ForwardProxy): Promise<void> {
  for (const line of await tryForwardProxy(proxy)) if (report(line)) wrong.push(line.what)
}

async function rehearse(nginx: string): Promise<void> {
  console.log(nginx)
  const fakes = await startGatewayWithFakes()
  const proxy = await startNginx(fakes.gateway.url)
  for (const way of proxy.ways) for (const line of await tryWay(way, fakes)) if (report(line)) wrong.push(line.what)
  await proxy.stop()
  await fakes.close()
}

async function tryWay(way: Way, fakes: GatewayWithFakes): Promise<Line[]> {
  const name = `HTTP/${way.upstream} to the gateway, ${way.client} to the client, buffering ${way.buffering}`
  const lines = [await tryWhole(name, way, fakes), await tryBroken(name, way, fakes)]
  if (way.client === 'HTTP/2') return lines
  for (const speed of ['fast', 'slow'] as const) lines.push(await trySdk(name, way, speed, fakes))
  return lines
}

async function tryWhole(name: string, way: Way, { openai }: GatewayWithFakes): Promise<Line> {
  openai.next(WHOLE)
  const { text, isComplete } = await read(way)
  const isRight = isComplete && text.endsWith('data: [DONE]\n\n')
  return { what: `${name}, a whole stream`, isRight, got: isComplete ? 'complete' : 'cut off' }
}

/** HTTP/1.0 has no other end than that of the connection, so nginx takes every body for complete. */
async function tryBroken(name: string, way: Way, { openai }: GatewayWithFakes): Promise<Line> {
  openai.next(BROKEN)
  const { text, isComplete } = await read(way)
  const hasError = /data: {"error":.*It broke\..*\n\n$/.test(text)
  const isRight = hasError && isComplete === (way.upstream === '1.0')
  const got = `${isComplete ? 'complete' : 'cut off'}, ${hasError ? 'with' : 'without'} its error event`
  return { what: `${name}, a broken stream`, isRight, got }
}

async function trySdk(
  name: string,
  { port }: Way,
  speed: 'fast' | 'slow',
  { openai }: GatewayWithFakes,
): Promise<Line> {
  openai.requests.length = 0
  openai.next(BROKEN)
  const client = new OpenAI({ apiKey: API_KEY, baseURL: `http://127.0.0.1:${port}/v3`, maxRetries: 0 })
  let taken = 0
  let message = 'no error'
  try {
    const chunks = await client.chat.completions.create({ ...ASK, messages: ASK.messages as [], stream: true })
    for await (const _ of chunks) if (++taken === 1 && speed === 'slow') await openai.requests[0]!.closed
  } catch (error) {
    message = error instanceof OpenAI.APIError ? error.message : String(error)
  }
  const isRight = taken === WORDS && message.includes('It broke.')
  return { what: `${name}, the OpenAI SDK, a ${speed} reader`, isRight, got: `${taken} of ${WORDS} chunks, ${message}` }
}

function read(way: Way): Promise<Read> {
  return way.client === 'HTTP/2' ? readHttp2(way) : readHttp1(way)
}

function readHttp1({ port }: Way): Promise<Read> {
  return new Promise((resolve, reject) => {
    const asked = requestHttp1({ port, path: PATH, method: 'POST', headers: HEADERS, agent: false }, (reply) => {
      let text = ''
      reply.setEncoding('utf8').on('data', (piece) => (text += piece))
      reply.on('error', () => {}).on('close', () => resolve({ text, isComplete: reply.complete }))
    })
    asked.on('error', reject).end(BODY)
  })
}

function readHttp2({ port }: Way): Promise<Read> {
  return new Promise((resolve, reject) => {
    const session = connectHttp2(`http://127.0.0.1:${port}`).on('error', reject)
    const asked = session.request({ ':method': 'POST', ':path': PATH, ...HEADERS })
    let text = ''
    let isBroken = false
    asked.setEncoding('utf8').on('data', (piece) => (text += piece))
    asked.on('error', () => (isBroken = true))
    asked.on('close', () => {
      session.close()
      resolve({ text, isComplete: !isBroken && asked.rstCode === 0 })
    })
    asked.end(BODY)
  })
}
