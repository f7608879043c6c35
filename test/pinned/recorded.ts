import { readFileSync } from 'node:fs'
import type { PinnedCall } from './pinned-gateway.ts'

export const RECORDED = new URL('recorded-calls.jsonl', import.meta.url)

/** What every call did when `npm run pin` was run, by the name of its case. */
export function recordedCalls(): Map<string, PinnedCall> {
  const lines = readFileSync(RECORDED, 'utf8').trimEnd().split('\n')
  return new Map(
    lines.map((line) => {
      const { name, ...call } = JSON.parse(line)
      return [name, call]
    }),
  )
}
