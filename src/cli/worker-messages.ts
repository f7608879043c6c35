import type { EventEmitter } from 'node:events'
import type { ProcessReport } from '../platform/config/report/config-report.ts'
import type { ConfigFile } from '../platform/config/config-source.ts'

// Questions of the primary process to its workers, and the other way round. An answer has the number of its question, because
// several questions may be open at once.

/** `prepare` answers with the reason why the file is refused, or with an empty text. */
export type Answers = { report: ProcessReport; prepare: string; commit: true; start: MemberStart }

/** What a new worker begins with: the active config file, and the port that all workers open. */
export type MemberStart = { file: ConfigFile; port: number }

type Question = { [Name in keyof Answers]: { ask: Name; number: number; file?: ConfigFile } }[keyof Answers]
type Answer = { number: number; answer: unknown }
/** A worker, as the primary process sees it, or the worker's own `process`. */
type Channel = EventEmitter & { send?(message: object, sent: () => void): boolean }
type Handlers = { [Name in keyof Answers]?: (file: ConfigFile | undefined) => Answers[Name] | Promise<Answers[Name]> }

let requests = 0

/** Rejects if the other process ends or does not answer in time. */
export function askProcess<Name extends keyof Answers>(
  channel: Channel,
  ask: Name,
  { limitMs, file }: { limitMs: number; file?: ConfigFile },
): Promise<Answers[Name]> {
  const number = ++requests
  const { promise, resolve, reject } = Promise.withResolvers<Answers[Name]>()
  const take = (message: Answer) =>
    message?.number === number && 'answer' in message && resolve(message.answer as Answers[Name])
  const leave = () => reject(new ProcessSilent('A process of the gateway ended before it answered.'))
  const limit = setTimeout(() => reject(new ProcessSilent('A process of the gateway did not answer in time.')), limitMs)
  channel.on('message', take).on('exit', leave)
  send(channel, { ask, number, ...(file && { file }) } satisfies Question)
  return promise.finally(() => {
    clearTimeout(limit)
    channel.off('message', take).off('exit', leave)
  })
}

export class ProcessSilent extends Error {}

/** Answers the questions that the handlers know. */
export function answerProcess(channel: Channel, handlers: Handlers): void {
  channel.on('message', async (message: Question) => {
    const handler = message && Object.hasOwn(handlers, message.ask) ? handlers[message.ask] : undefined
    if (handler) send(channel, { number: message.number, answer: await handler(message.file) } satisfies Answer)
  })
}

/** A process that has ended gets no message. Without the callback, that would be an error of the process that sends. */
function send(channel: Channel, message: Question | Answer): void {
  channel.send?.(message, () => {})
}
