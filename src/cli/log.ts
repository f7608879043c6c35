import { type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino'
import { maskUrls } from '../base/redaction/mask-urls.ts'
import { LogSink } from './log-sink.ts'
import { paintFor } from './output/paint.ts'
import { prettyLine } from './output/pretty-line.ts'

export type Log = Logger & { flush(): Promise<void> }

type LogFormat = 'pretty' | 'json'

type Settings = { logLevel: string; logFormat?: LogFormat | undefined }

/** Writes the log to stdout. Lines are buffered briefly, so that a busy gateway makes few writes. */
export function openLog(settings: Settings): Log {
  const sink = new LogSink(1)
  const paint = paintFor(process.stdout)
  const pretty = { write: (line: string) => sink.write(prettyLine(line, paint)) }
  const log = pino(logOptions(settings.logLevel), formatOf(settings) === 'pretty' ? pretty : sink)
  return Object.assign(log, { flush: () => sink.close() })
}

/** People read a terminal, and programs read everything else. */
export function formatOf({ logFormat }: Pick<Settings, 'logFormat'>): LogFormat {
  return logFormat ?? (process.stdout.isTTY ? 'pretty' : 'json')
}

export function logOptions(level: string) {
  const formatters = { level: (label: string) => ({ level: label }) }
  return { level, base: undefined, formatters, timestamp: stdTimeFunctions.isoTime, serializers: LOG_SERIALIZERS }
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
