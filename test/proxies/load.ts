import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { ASK } from '../gateway/chat-client.ts'

const CLIENTS = 24
const THINK_MS = 40
/** A gateway on a machine that is too busy says this, whether it is restarted or not. */
const OVERLOADED = 'The gateway is at its limit.'

type LoadResult = { wholes: number; streams: number; overloaded: number; failures: string[] }

/** Asks for whole answers and for streams, in turns, until it is stopped. Nothing is asked twice. */
export function startLoad(url: string, key: string, model = ASK.model): { stop(): Promise<LoadResult> } {
  const result: LoadResult = { wholes: 0, streams: 0, overloaded: 0, failures: [] }
  const agent = new Agent({ keepAlive: true })
  let isOver = false
  const clients = Array.from({ length: CLIENTS }, (_, index) => run(index % 2 === 0))
  return {
    stop: async () => {
      isOver = true
      await Promise.all(clients)
      agent.destroy()
      return result
    },
  }

  async function run(stream: boolean): Promise<void> {
    while (!isOver) {
      await sleep(THINK_MS)
      const failure = await ask(stream)
      if (failure?.includes(OVERLOADED)) result.overloaded++
      else if (failure) result.failures.push(`${new Date().toISOString()} ${stream ? 'stream' : 'whole'}: ${failure}`)
      else result[stream ? 'streams' : 'wholes']++
    }
  }

  function ask(stream: boolean): Promise<string | undefined> {
    return new Promise((resolve) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const asking = request(`${url}/v3/chat/completions`, { method: 'POST', agent, headers }, async (response) => {
        const body = await text(response).catch((error) => `broken: ${error}`)
        const isWhole = stream ? body.endsWith('data: [DONE]\n\n') : body.includes('"finish_reason":"stop"')
        resolve(response.statusCode === 200 && isWhole ? undefined : `${response.statusCode} ${body.slice(-200)}`)
      })
      asking.once('error', (error) => resolve(String(error)))
      asking.end(JSON.stringify({ ...ASK, model, stream }))
    })
  }
}
