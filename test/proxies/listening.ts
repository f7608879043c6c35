import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const START_POLLS = 800
const POLL_MS = 25

/** Waits until a program accepts connections. */
export async function listening(port: number, name: string): Promise<void> {
  for (let poll = 0; poll < START_POLLS; poll++) {
    if (await accepts(port)) return
    await sleep(POLL_MS)
  }
  throw new Error(`${name} did not start`)
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
