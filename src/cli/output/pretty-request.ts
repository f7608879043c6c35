import type { Paint } from './paint.ts'
import { printable } from './printable.ts'
import { SECOND_MS } from '../../base/units/units.ts'

type Fields = Record<string, unknown>

const CLIENT_ERROR = 400
const SERVER_ERROR = 500

const dollars = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 0,
  maximumSignificantDigits: 3,
})
const counts = new Intl.NumberFormat('en-US')

/** `POST /v3/chat/completions  fast → openai/gpt-4o-mini  200  412 ms  9 → 12 tokens  $0.0000086`. */
export function prettyRequest(fields: Fields, paint: Paint): string {
  const parts = [
    paint('bold', printable(requestOf(fields))),
    paint('cyan', printable(modelsOf(fields))),
    statusOf(fields, paint),
    durationOf(Number(fields.duration_ms)),
    tokensOf(fields),
    costOf(fields),
  ]
  return parts.filter((part) => part !== '').join('  ')
}

/** A refused request is shown as it was sent. */
function requestOf({ endpoint, method, path }: Fields): string {
  return path === undefined ? String(endpoint) : `${method} ${path}`
}

function modelsOf({ requested_model: requested, model, attempts }: Fields): string {
  const names = [requested, model].filter((name) => typeof name === 'string' && name !== '')
  const tries = Number(attempts) > 1 ? ` (${attempts} attempts)` : ''
  return `${names.join(' → ')}${tries}`
}

function statusOf({ status, code }: Fields, paint: Paint): string {
  const text = code === undefined ? String(status) : `${status} ${printable(String(code))}`
  const number = Number(status)
  return paint(number >= SERVER_ERROR ? 'red' : number >= CLIENT_ERROR ? 'yellow' : 'green', text)
}

function durationOf(ms: number): string {
  return ms < SECOND_MS ? `${Math.round(ms)} ms` : `${(ms / SECOND_MS).toFixed(1)} s`
}

function tokensOf({ prompt_tokens: input, completion_tokens: output, estimated }: Fields): string {
  if (typeof input !== 'number' || typeof output !== 'number') return ''
  return `${estimated ? 'about ' : ''}${counts.format(input)} → ${counts.format(output)} tokens`
}

/** A request that reaches no model has no cost at all. */
function costOf({ cost }: Fields): string {
  if (cost === undefined) return ''
  return typeof cost === 'number' ? dollars.format(cost) : 'cost unknown'
}
