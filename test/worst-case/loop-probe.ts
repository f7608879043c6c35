import { isMainThread } from 'node:worker_threads'

// Loaded into a gateway process (`--import`). While it is watching, it measures in every turn of the event loop how much
// CPU the main thread has used since the last turn. The maximum is the longest time that other requests had to wait.

export type Watched = { longestMs: number; turns: number }

let watching = false
let longest = 0
let turns = 0
let before = 0

if (isMainThread && process.send) {
  process.on('message', (message) => (message === 'watch' ? watch() : message === 'stop' ? stop() : undefined))
  // A test run that is killed must not leave a gateway behind that watches for ever.
  process.on('disconnect', () => process.exit())
  process.channel?.unref()
}

function watch(): void {
  watching = true
  longest = turns = 0
  before = cpuMs()
  setImmediate(look)
}

function stop(): void {
  watching = false
  process.send!({ longestMs: longest, turns } satisfies Watched)
}

function look(): void {
  const now = cpuMs()
  longest = Math.max(longest, now - before)
  before = now
  turns++
  if (watching) setImmediate(look)
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
