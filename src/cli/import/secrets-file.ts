import { parseEnv } from 'node:util'

const PLAIN = /^[\w./:+=@,-]*$/
const QUOTES = ["'", '`', '"']

/** Secrets by the name of their variable, as a file for `--env-file`. Every line reads back as the same value. */
export function secretsText(secrets: ReadonlyMap<string, string>): string {
  const lines = Array.from(secrets, ([name, value]) => `${name}=${quoted(name, value)}\n`)
  return `# Secrets that were moved out of the source of an import. Start with: gatehouse serve --env-file THIS_FILE\n${lines.join('')}`
}

function quoted(name: string, value: string): string {
  if (PLAIN.test(value)) return value
  const text = QUOTES.map((quote) => `${quote}${value}${quote}`).find((one) => isReadAs(name, one, value))
  if (text === undefined) throw new Error(`The value of ${name} cannot be written into an env file.`)
  return text
}

function isReadAs(name: string, text: string, value: string): boolean {
  return parseEnv(`${name}=${text}\n`)[name] === value
}
