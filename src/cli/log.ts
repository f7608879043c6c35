import { type Logger, pino } from 'pino'
import { LogSink } from './log-sink.ts'

export type Log = Logger & { flush(): Promise<void> }

/** JSON lines on stdout, gathered so that a busy gateway makes few writes, and never older than a moment. */
export function openLog(level: string): Log {
  const sink = new LogSink(1)
  const log = pino({ level, base: undefined, formatters: { level: (label) => ({ level: label }) } }, sink)
  return Object.assign(log, { flush: () => sink.close() })
}
