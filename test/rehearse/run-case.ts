import type { ChatChunk } from '../../src/contract/chat-reply.ts'
import { HELLO, readStream, textUntilError } from '../gateway/chat-client.ts'
import type { Case, Expected, RequestView } from './case.ts'
import { isSlow } from './cases.ts'
import type { Stage } from './stage.ts'
import { SIXTY } from './states.ts'

export type Result = {
  title: string
  /** What the caller got, in a few words. */
  got: string
  calls: number
  seconds: number
  /** What was wrong; empty if all is right. */
  wrong: string[]
}

type ReportedError = { message: string; code: string; limit?: string }

/** What the caller saw of one reply, whole or streamed. */
type Seen = {
  status: number
  complete: boolean
  by: string | undefined
  text: string
  errors: ReportedError[]
  attempts: string | null
  retryAfter: string | null
  outcomes: string[] | undefined
  seconds: number
}

let cases = 0

export async function runCase(one: Case, stage: Stage): Promise<Result> {
  const { title, ask, expect } = one
  const mark = `~case${cases++}`
  const waited = stage.waits.length
  const seen = await send(ask, mark, stage)
  const calls = callsOf(expect, mark, stage)
  const wrong = [...judgeReply(expect, seen), ...judgeCalls(expect, calls)]
  if (stage.tempo === 'real') wrong.push(...judgeTime(expect, seen))
  if (stage.tempo === 'compressed' && !isSlow(one)) wrong.push(...judgeWaits(expect, stage.waits.slice(waited)))
  const total = Object.values(calls).reduce((sum, count) => sum + count, 0)
  return { title, got: sketch(seen), calls: total, seconds: seen.seconds, wrong }
}

async function send(ask: RequestView, mark: string, { chat, timeScale }: Stage): Promise<Seen> {
  const startedAt = performance.now()
  const headers = {
    'x-gatehouse-metadata': 'enabled',
    ...(ask.timeoutMs && { 'x-gatehouse-timeout-ms': String(Math.round(ask.timeoutMs * timeScale)) }),
  }
  const fallbacks = ask.fallbacks?.map((model) => model + mark)
  const body = { ...HELLO, model: ask.model + mark, ...(fallbacks && { fallbacks }), stream: ask.stream ?? false }
  const response = await chat.post(body, { headers })
  const text = await textUntilError(response.body!)
  return {
    status: response.status,
    attempts: response.headers.get('x-gatehouse-attempts'),
    retryAfter: response.headers.get('retry-after'),
    seconds: (performance.now() - startedAt) / 1_000,
    ...(ask.stream && response.ok ? readEvents(text, mark) : readWhole(text, response.ok, mark)),
  }
}

type Body = Pick<Seen, 'complete' | 'by' | 'text' | 'errors' | 'outcomes'>
type Metadata = { gatehouse?: { attempts: { outcome: string }[] } }

function readWhole(body: string, isAnswer: boolean, mark: string): Body {
  const { model, choices, error, gatehouse } = JSON.parse(body)
  const text = choices?.[0]?.message.content ?? ''
  const errors = error ? [error as ReportedError] : []
  return { complete: isAnswer, by: model?.replace(mark, ''), text, errors, outcomes: outcomesOf({ gatehouse }) }
}

function readEvents(body: string, mark: string): Body {
  const { chunks, errors, done } = readStream(body)
  return {
    complete: done === 1 && errors.length === 0,
    by: chunks.at(-1)?.model.replace(mark, ''),
    text: chunks.map(textOf).join(''),
    errors: errors.map(({ error }) => error),
    outcomes: outcomesOf((chunks[0] ?? {}) as Metadata),
  }
}

function textOf({ choices }: ChatChunk): string {
  return choices[0]?.delta?.content ?? ''
}

function outcomesOf({ gatehouse }: Metadata): string[] | undefined {
  return gatehouse?.attempts.map(({ outcome }) => outcome)
}

function callsOf({ calls }: Expected, mark: string, { faulty }: Stage): Record<string, number> {
  return Object.fromEntries(Object.keys(calls).map((state) => [state, faulty.calls(state + mark)]))
}

function judgeReply(expect: Expected, seen: Seen): string[] {
  const { error } = expect
  const [reported] = seen.errors
  const text = expect.words === undefined ? seen.text : SIXTY.split(' ').slice(0, expect.words).join(' ')
  return [
    ...differ('status', seen.status, expect.status),
    ...differ('complete', seen.complete, expect.complete),
    ...differ('errors', seen.errors.length, error ? 1 : 0),
    ...differ('answered by', seen.by, expect.by ?? seen.by),
    ...differ('text', seen.text, text),
    ...differ('code', reported?.code, error?.code),
    ...differ('limit', reported?.limit, error?.limit),
    ...differ('reason', reported?.message.includes(error?.says ?? '') ?? true, true),
    ...differ('Retry-After', seen.retryAfter, error?.retryAfter ?? seen.retryAfter),
    ...differ('attempts', seen.attempts, expect.attempts ? String(expect.attempts) : seen.attempts),
    ...differ(
      'outcomes',
      seen.outcomes?.join(),
      (error ? undefined : expect.outcomes?.join()) ?? seen.outcomes?.join(),
    ),
  ]
}

function judgeCalls({ calls }: Expected, made: Record<string, number>): string[] {
  return Object.entries(calls).flatMap(([state, expected]) => {
    const [least, max] = typeof expected === 'number' ? [expected, expected] : expected
    const count = made[state]!
    return count >= least && count <= max ? [] : [`calls of ${state}: ${count} instead of ${least} to ${max}`]
  })
}

function judgeTime({ seconds: [least, max] }: Expected, { seconds }: Seen): string[] {
  return seconds >= least && seconds <= max ? [] : [`${seconds.toFixed(2)} s instead of ${least} to ${max} s`]
}

function judgeWaits({ waits = [] }: Expected, waited: number[]): string[] {
  return differ('waits', waited.join(), waits.join())
}

function differ(what: string, seen: unknown, expected: unknown): string[] {
  return seen === expected ? [] : [`${what}: ${JSON.stringify(seen)} instead of ${JSON.stringify(expected)}`]
}

function sketch({ status, complete, by, text, errors }: Seen): string {
  const words = text === '' ? '' : `${text.split(' ').length} words`
  const error = errors.map(({ code, limit }) => (limit ? `${code} (${limit})` : code))
  return [status, words, by && `by ${by}`, ...error, complete ? 'complete' : 'not complete'].filter(Boolean).join(', ')
}
