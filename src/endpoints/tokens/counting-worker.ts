import { parentPort } from 'node:worker_threads'
import { countRequest } from './count-request.ts'

/** `text` is a valid request in the messages format. */
export type Task = { id: number; text: string; model: string }
export type Cancellation = { id: number; cancelled: true }
export type Answer = { id: number; tokens: number } | { id: number; fault: string }

const port = parentPort!
const running = new Map<number, AbortController>()

port.on('message', (message: Task | Cancellation) => {
  if ('cancelled' in message) running.get(message.id)?.abort()
  else void answer(message)
})

async function answer({ id, text, model }: Task): Promise<void> {
  const controller = new AbortController()
  running.set(id, controller)
  try {
    port.postMessage({ id, tokens: await countRequest(JSON.parse(text), model, controller.signal) } satisfies Answer)
  } catch (error) {
    port.postMessage({ id, fault: String(error) } satisfies Answer)
  } finally {
    running.delete(id)
  }
}
