import { isatty } from 'node:tty'
import type { Environment } from '../platform/config/environment.ts'
import type { Screen } from './output/progress.ts'
import { UsageError } from './usage-error.ts'

/** The environment of a command: its settings and its outputs. */
export type Terminal = {
  /** Defaults to the environment of the process. */
  environment?: Environment
  /** Writes the command's result. */
  print(text: string): void
  /** Takes a result of any length, as fast as it is read. Defaults to stdout. */
  output?: NodeJS.WritableStream
  /** Writes errors and notes, which only a person reads. */
  remark(text: string): void
  /** Where the progress of long work is shown, if a person is there to see it. */
  screen?: Screen
  /** Asks a person and returns the answer. Absent if no person is at the terminal. */
  ask?: ((question: string) => Promise<string>) | undefined
  /** Waits before a server is asked again. Defaults to the timer of the process. */
  sleep?: ((ms: number) => Promise<unknown>) | undefined
}

export const OWN_TERMINAL: Terminal = {
  print: (text) => void process.stdout.write(text),
  remark: (text) => void process.stderr.write(text),
  screen: process.stderr,
  // `process.stdin` would open a stream in every process, also in gateways that never read it.
  ...(isatty(0) && isatty(2) && { ask }),
}

/** Questions go to stderr, so that the result can be redirected. Ctrl-C and Ctrl-D end the command. */
async function ask(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const stopped = new Promise<never>((_, reject) => {
    lines.once('close', () => {
      process.stderr.write('\n')
      reject(new UsageError('Stopped before the last answer. Nothing was written.'))
    })
  })
  try {
    return await Promise.race([lines.question(question), stopped])
  } finally {
    stopped.catch(() => {})
    lines.removeAllListeners('close').close()
  }
}
