import { chmod, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Environment, ownEnvironment } from '../../platform/config/environment.ts'
import { AGENTS } from '../command-line/agent-commands.ts'
import type { Input } from '../command-line/command-table.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import { type Agent, AGENT_FILES, type AgentFile, type Gateway, pathIn } from './agent-files.ts'
import { NotPlain } from './agent-json.ts'
import { credentialFile, readCredential } from './credential-file.ts'
import { chatModels } from './device-login.ts'
import { freshCredential, readUrl } from './login.ts'

// Beside each file of the agent stand the file as it was before (empty if there was none), and as this command has written it.

const BEFORE = '.before-gatehouse'
const WRITTEN = '.by-gatehouse'
const OWNER_ONLY = 0o600
const PERMISSIONS = 0o777

export async function configure({ values, operands }: Input<'configure'>, terminal: Terminal): Promise<number> {
  const agent = AGENTS.find((one) => one === operands[0])
  if (!agent) throw new UsageError(`There is no agent '${operands[0]}'. Choose one of ${AGENTS.join(', ')}.`)
  const environment = terminal.environment ?? ownEnvironment()
  if (values.undo) return await undo(agent, environment, terminal)
  const signIn = credentialFile(environment)
  const url = readUrl(values.url ?? (await readCredential(signIn)).url)
  const models = AGENT_FILES[agent].needsModels ? await modelsAt(url, signIn, agent, terminal) : undefined
  return values.print
    ? await show(agent, environment, { url, models }, terminal)
    : await write(agent, environment, { url, models }, terminal)
}

async function modelsAt(
  url: string,
  signIn: string,
  agent: Agent,
  terminal: Terminal,
): Promise<readonly string[] | undefined> {
  const known = await readCredential(signIn).catch(() => undefined)
  if (known?.url === url) return await chatModels(await freshCredential(signIn))
  terminal.remark(
    `You are not signed in at ${url}, so the list of models is empty. Sign in, and run \`gatehouse configure ${agent}\` again.\n`,
  )
  return undefined
}

async function write(agent: Agent, environment: Environment, gateway: Gateway, terminal: Terminal): Promise<number> {
  const { files, note, otherKeys = [] } = AGENT_FILES[agent]
  // All of them can be merged before the first one is written.
  const merged = await Promise.all(
    files.map(async (one) => {
      const file = pathIn(environment, one)
      const now = (await textOf(file)) ?? ''
      // A second run keeps the file as it was before the first, with what has changed between the two.
      return { file, before: (await withoutOurs(one, file)) ?? now, after: one.merge(now, gateway) }
    }),
  )
  for (const { file, before, after } of merged) {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file + BEFORE, before, { mode: OWNER_ONLY })
    await writeFile(file + WRITTEN, after, { mode: OWNER_ONLY })
    await replace(file, after)
    terminal.remark(`Wrote ${file}. \`gatehouse configure ${agent} --undo\` restores the earlier file.\n`)
  }
  for (const name of otherKeys)
    if (environment[name])
      terminal.remark(`${name} is set in this terminal. The agent uses it instead of your sign-in: remove it there.\n`)
  if (note) terminal.remark(`${note}\n`)
  return 0
}

async function show(agent: Agent, environment: Environment, gateway: Gateway, terminal: Terminal): Promise<number> {
  const { files, note, deployed } = AGENT_FILES[agent]
  for (const one of files) {
    const file = pathIn(environment, one)
    terminal.print(`${shown(one, file, (await textOf(file)) ?? '', gateway)}\n`)
  }
  const { where, content } = deployed(gateway.url)
  terminal.print(`# For a company, on all machines: ${where}\n${content}`)
  if (note) terminal.remark(`${note}\n`)
  return 0
}

/** The file without what this command wrote into it; undefined if it wrote nothing. Agents and people may have changed it since. */
async function withoutOurs(one: AgentFile, file: string): Promise<string | undefined> {
  const before = await textOf(file + BEFORE)
  if (before === undefined) return undefined
  const [written, now] = [await textOf(file + WRITTEN), await textOf(file)]
  return written === undefined || now === undefined || now === written ? before : one.takeOut({ before, written, now })
}

/** The whole file, or what to add to one that is not rewritten. */
function shown(one: AgentFile, file: string, before: string, gateway: Gateway): string {
  try {
    return `# ${file}\n${one.merge(before, gateway)}`
  } catch (error) {
    if (!(error instanceof NotPlain)) throw error
    return `# Add this to ${file}:\n${one.merge('', gateway)}`
  }
}

async function undo(agent: Agent, environment: Environment, terminal: Terminal): Promise<number> {
  const files = AGENT_FILES[agent].files.map((one) => pathIn(environment, one))
  const written: { file: string; before: string }[] = []
  for (const one of AGENT_FILES[agent].files) {
    const file = pathIn(environment, one)
    const before = await withoutOurs(one, file).catch(tooChanged(file))
    if (before !== undefined) written.push({ file, before })
  }
  if (written.length === 0) throw new UsageError(`This command did not write ${files.join(' or ')}.`)
  for (const { file, before } of written) {
    if (before === '') await rm(file, { force: true })
    else await replace(file, before)
    await rm(file + BEFORE, { force: true })
    await rm(file + WRITTEN, { force: true })
    terminal.remark(before === '' ? `Removed ${file}.\n` : `Restored ${file}.\n`)
  }
  return 0
}

function tooChanged(file: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof NotPlain)) throw error
    throw new UsageError(
      `${file} has changed since, and is not plain JSON. The earlier file is ${file}${BEFORE}: compare the two, and remove it.`,
    )
  }
}

/**
 * The agent reads the file as it was or as it is, and never a part of it. Files of agents hold keys, too, so a new one is for its owner
 * only, and an old one keeps its mode. A link stays a link: people keep such files in a folder with all their settings.
 */
async function replace(link: string, text: string): Promise<void> {
  const file = await realpath(link).catch(ifMissing(link))
  const mode = await stat(file).then((found) => found.mode & PERMISSIONS, ifMissing(OWNER_ONLY))
  const written = `${file}.new`
  await rm(written, { force: true })
  await writeFile(written, text, { mode: OWNER_ONLY, flag: 'wx' })
  await chmod(written, mode)
  await rename(written, file)
}

/** A file that cannot be read is not taken for one that does not exist: it would be replaced. */
async function textOf(file: string): Promise<string | undefined> {
  return await readFile(file, 'utf8').catch(ifMissing(undefined))
}

function ifMissing<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return value
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}
