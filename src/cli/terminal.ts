import type { Environment } from '../config/config-source.ts'
import type { Screen } from './output/progress.ts'

/** The environment of a command: its settings and its outputs. */
export type Terminal = {
  /** Defaults to the environment of the process. */
  environment?: Environment
  /** Writes the command's result. */
  print(text: string): void
  /** Writes errors and notes, which only a person reads. */
  remark(text: string): void
  /** Where the progress of long work is shown, if a person is there to see it. */
  screen?: Screen
}

export const OWN_TERMINAL: Terminal = {
  print: (text) => void process.stdout.write(text),
  remark: (text) => void process.stderr.write(text),
  screen: process.stderr,
}
