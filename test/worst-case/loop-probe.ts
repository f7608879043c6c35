import { isMainThread } from 'node:worker_threads'

// Loaded into a gateway process (`--import`). While it is watching, it measures every millisecond how much CPU the main
// thread has used since the last time. A turn of the event loop that takes longer delays the next look, so the maximum is
// the longest time that other requests had to wait.

export type Watched = { longestMs: number }

const EVERY_MS = 1

let watching = false
let longest = 0
let before = 0

if (isMainThread && process.send) {
  process.on('message', (message) => (message === 'watch' ? watch() : message === 'stop' ? stop() : undefined))
  // A test run that is killed must not leave a gateway behind that watches for ever.
  process.on('disconnect', () => process.exit())
  process.channel?.unref()
}

function watch(): void {
  watching = true
  longest = 0
  before = cpuMs()
  setTimeout(look, EVERY_MS)
}

function stop(): void {
  watching = false
  look()
  process.send!({ longestMs: longest } satisfies Watched)
}

function look(): void {
  const now = cpuMs()
  longest = Math.max(longest, now - before)
  before = now
  if (watching) setTimeout(look, EVERY_MS)
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
