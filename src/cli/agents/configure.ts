import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname } from 'node:path'
import { ownEnvironment } from '../../platform/config/environment.ts'
import { AGENTS } from '../command-line/agent-commands.ts'
import type { Input } from '../command-line/command-table.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import { type Agent, AGENT_FILES, fileOfAgent } from './agent-files.ts'
import { credentialFile, readCredential } from './credential-file.ts'
import { readUrl } from './login.ts'

// Beside the file of the agent stand the file as it was before (empty if there was none), and as this command has written it.

const BEFORE = '.before-gatehouse'
const WRITTEN = '.by-gatehouse'
const OWNER_ONLY = 0o600

export async function configure({ values, operands }: Input<'configure'>, terminal: Terminal): Promise<number> {
  const agent = AGENTS.find((one) => one === operands[0])
  if (!agent) throw new UsageError(`There is no agent '${operands[0]}'. Choose one of ${AGENTS.join(', ')}.`)
  const environment = terminal.environment ?? ownEnvironment()
  const file = fileOfAgent(agent, environment.HOME || homedir())
  if (values.undo) return await undo(file, terminal)
  const url = readUrl(values.url ?? (await readCredential(credentialFile(environment))).url)
  return values.print ? await show(agent, file, url, terminal) : await write(agent, file, url, terminal)
}

async function write(agent: Agent, file: string, url: string, terminal: Terminal): Promise<number> {
  const { merge, note } = AGENT_FILES[agent]
  const before = (await textOf(file)) ?? ''
  const after = merge(before, url)
  await mkdir(dirname(file), { recursive: true })
  // A second run keeps the file as it was before the first.
  if ((await textOf(file + BEFORE)) === undefined) await writeFile(file + BEFORE, before, { mode: OWNER_ONLY })
  await writeFile(file + WRITTEN, after, { mode: OWNER_ONLY })
  await replace(file, after)
  terminal.remark(`Wrote ${file}. \`gatehouse configure ${agent} --undo\` restores the earlier file.\n`)
  if (note) terminal.remark(`${note}\n`)
  return 0
}

async function show(agent: Agent, file: string, url: string, terminal: Terminal): Promise<number> {
  const { merge, note, deployed } = AGENT_FILES[agent]
  const { where, content } = deployed(url)
  terminal.print(`# ${file}\n${merge((await textOf(file)) ?? '', url)}\n`)
  terminal.print(`# For a company, on all machines: ${where}\n${content}`)
  if (note) terminal.remark(`${note}\n`)
  return 0
}

async function undo(file: string, terminal: Terminal): Promise<number> {
  const before = await textOf(file + BEFORE)
  if (before === undefined) throw new UsageError(`This command did not write ${file}.`)
  if ((await textOf(file)) !== (await textOf(file + WRITTEN)))
    throw new UsageError(
      `${file} has changed since. The earlier file is ${file}${BEFORE}: compare the two, and remove it.`,
    )
  if (before === '') await rm(file, { force: true })
  else await replace(file, before)
  await rm(file + BEFORE, { force: true })
  await rm(file + WRITTEN, { force: true })
  terminal.remark(before === '' ? `Removed ${file}.\n` : `Restored ${file}.\n`)
  return 0
}

/** The agent reads the file as it was or as it is, and never a part of it. */
async function replace(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text)
  await rename(`${file}.new`, file)
}

async function textOf(file: string): Promise<string | undefined> {
  return await readFile(file, 'utf8').catch(() => undefined)
}
