import { type Logger, pino, stdSerializers } from 'pino'
import { maskUrls } from '../redaction/mask-urls.ts'
import { LogSink } from './log-sink.ts'

export type Log = Logger & { flush(): Promise<void> }

/** Writes JSON lines to stdout. They are buffered briefly, so that a busy gateway makes few writes. */
export function openLog(level: string): Log {
  const sink = new LogSink(1)
  const formatters = { level: (label: string) => ({ level: label }) }
  const log = pino({ level, base: undefined, formatters, serializers: LOG_SERIALIZERS }, sink)
  return Object.assign(log, { flush: () => sink.close() })
}

/** Serializes errors without the secrets of addresses that they or their causes quote. */
export const LOG_SERIALIZERS = { err: shownError, error: shownText, reason: shownText }

function shownError(error: unknown): unknown {
  if (!(error instanceof Error)) return shownText(error)
  const { type, message, stack } = stdSerializers.err(error)
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {}
  return { type, message: maskUrls(message), stack: maskUrls(stack), ...code }
}

function shownText(value: unknown): unknown {
  return typeof value === 'string' ? maskUrls(value) : value
}
