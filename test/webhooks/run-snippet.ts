import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/** A webhook as it arrived, with the body as base64. */
export type Case = { body: string; signature: string; key: string }

/** A webhook with a signed timestamp; `now` is the receiver's clock in seconds. */
export type TimedCase = { body: string; headers: Record<string, string>; key: string; now: number }

/** The input of a published verifier: JSON texts to rewrite, or webhooks to verify in one of its ways. */
type SnippetInput =
  | { rewrite: string[] }
  | { verify: Case[] }
  | { verifyParsed: Case[] }
  | { verifyTimestamped: TimedCase[] }

const SNIPPETS = new URL('../../src/http/docs/receivers/', import.meta.url)

const NODE = `
  import { text } from 'node:stream/consumers'
  const { verify, verifyParsed, verifyTimestamped, canonicalJson } = await import(${JSON.stringify(new URL('node.mjs', SNIPPETS).href)})
  const input = JSON.parse(await text(process.stdin))
  const raw = ({ body }) => Buffer.from(body, 'base64')
  const answer = input.rewrite?.map((json) => canonicalJson(JSON.parse(json)))
    ?? input.verify?.map((one) => verify(raw(one), one.signature, one.key))
    ?? input.verifyTimestamped?.map((one) => verifyTimestamped(raw(one), one.headers, one.key, one.now))
    ?? input.verifyParsed.map((one) => verifyParsed(JSON.parse(raw(one)), one.signature, one.key))
  console.log(JSON.stringify(answer))`

const PYTHON = `
import base64, json, sys
sys.path.insert(0, sys.argv[1])
if "--without-cryptography" in sys.argv: sys.modules["cryptography"] = None
import python
input = json.load(sys.stdin)
raw = lambda one: base64.b64decode(one["body"])
rest = lambda one: (one["signature"], one["key"].encode())
if "rewrite" in input: answer = [python.canonical_json(json.loads(text)).decode() for text in input["rewrite"]]
elif "verify" in input: answer = [python.verify(raw(one), *rest(one)) for one in input["verify"]]
elif "verifyTimestamped" in input:
    answer = [python.verify_timestamped(raw(one), one["headers"], one["key"], one["now"]) for one in input["verifyTimestamped"]]
else: answer = [python.verify_parsed(json.loads(raw(one)), *rest(one)) for one in input["verifyParsed"]]
print(json.dumps(answer))`

/** Runs a published verifier as it is printed, in its own language. */
export async function runSnippet(name: 'node.mjs' | 'python.py', input: SnippetInput, ...flags: string[]) {
  const command =
    name === 'node.mjs'
      ? [process.execPath, '--input-type=module', '-e', NODE]
      : ['python3', '-B', '-c', PYTHON, SNIPPETS.pathname, ...flags]
  return JSON.parse(await run(command, JSON.stringify(input)))
}

/** Runs a verifier that takes file names, and returns whether it accepts them. */
export async function accepts(command: string[], files: string[]): Promise<boolean> {
  return (await exitCode([...command, ...files])) === 0
}

export function snippetPath(name: string): string {
  return new URL(name, SNIPPETS).pathname
}

export function whyNoPython(): string | false {
  return whyNot('python3', '--version')
}

export function whyNot(program: string, ...flags: string[]): string | false {
  return spawnSync(program, flags).status === 0 ? false : `${program} is not on this machine, or does not work here`
}

async function run([program, ...flags]: string[], input: string): Promise<string> {
  const child = spawn(program!, flags, { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(input)
  return text(child.stdout)
}

async function exitCode([program, ...flags]: string[]): Promise<number | null> {
  const child = spawn(program!, flags, { stdio: 'ignore' })
  return (await once(child, 'exit'))[0]
}
