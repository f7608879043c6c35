import { isRecord } from '../../base/schema/record.ts'
import type { Paint } from './paint.ts'
import { prettyRequest } from './pretty-request.ts'
import { printable } from './printable.ts'

// The log for people. It is made from the JSON lines, so that it costs nothing where the log is not a terminal.

const LEVEL_STYLES: Record<string, 'red' | 'yellow' | 'dim'> = { fatal: 'red', error: 'red', warn: 'yellow' }
const LEVEL_CHARS = 5
/** Fields with a place of their own in the line. */
const PLACED: ReadonlySet<string> = new Set(['level', 'time', 'msg', 'err'])

/** One line of the log as text, with its line end. A line that is not JSON is passed on. */
export function prettyLine(line: string, paint: Paint): string {
  const fields = parse(line)
  if (!fields) return `${printable(line.trimEnd())}\n`
  const body =
    'request_id' in fields && 'endpoint' in fields ? prettyRequest(fields, paint) : prettyEvent(fields, paint)
  return `${paint('dim', clockOf(fields.time))} ${body}\n`
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The time of day at this machine. */
function clockOf(time: unknown): string {
  const date = new Date(String(time))
  return Number.isNaN(date.getTime()) ? '--:--:--' : date.toTimeString().slice(0, '23:59:59'.length)
}

function prettyEvent(fields: Record<string, unknown>, paint: Paint): string {
  const level = String(fields.level ?? '')
  const details = Object.entries(fields).filter(([name]) => !PLACED.has(name))
  const shown = details.map(([name, value]) => `${paint('dim', `${printable(name)}=`)}${fieldText(value)}`)
  const head = [paint(LEVEL_STYLES[level] ?? 'dim', level.padEnd(LEVEL_CHARS)), printable(String(fields.msg ?? ''))]
  return [...head, ...shown].join(' ') + errorOf(fields.err, paint)
}

function fieldText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return printable(text ?? '')
}

/** The stack begins with the message. */
function errorOf(error: unknown, paint: Paint): string {
  if (!isRecord(error)) return error === undefined ? '' : ` ${fieldText(error)}`
  const text = String(error.stack ?? error.message ?? JSON.stringify(error))
  const lines = text.split('\n').map((line) => `  ${printable(line.trim())}`)
  return `\n${paint('dim', lines.join('\n'))}`
}
