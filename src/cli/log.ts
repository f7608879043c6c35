import { destination, type Logger, pino } from 'pino'

const BUFFER_BYTES = 32 * 1024
const WRITE_BYTES = 64 * 1024
const FLUSH_MS = 200

export type Log = Logger & { flush(): void }

/** JSON lines on stdout, gathered so that a busy gateway makes few writes, and never older than a moment. */
export function openLog(level: string): Log {
  const out = destination({ fd: 1, sync: false, minLength: BUFFER_BYTES, maxWrite: WRITE_BYTES })
  const flushing = setInterval(() => out.flush(), FLUSH_MS).unref()
  const log = pino({ level, base: undefined, formatters: { level: (label) => ({ level: label }) } }, out)
  return Object.assign(log, {
    flush: () => {
      clearInterval(flushing)
      out.flushSync()
    },
  })
}
