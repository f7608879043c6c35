import type { Environment } from '../config/config.ts'

/** What a command is run from: where its settings stand and what it writes to. */
export type Terminal = {
  /** The settings of the process where none are given. */
  environment?: Environment
  /** What the command was asked for. */
  print(text: string): void
  /** What only a person wants to read: complaints and remarks. */
  remark(text: string): void
}

export const OWN_TERMINAL: Terminal = {
  print: (text) => void process.stdout.write(text),
  remark: (text) => void process.stderr.write(text),
}
