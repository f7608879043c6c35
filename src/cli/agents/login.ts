import { hostname } from 'node:os'
import { setTimeout as timer } from 'node:timers/promises'
import { ownEnvironment } from '../../platform/config/environment.ts'
import type { Input } from '../command-line/command-table.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import {
  type Credential,
  credentialFile,
  demandWritable,
  readCredential,
  removeCredential,
  withLock,
  writeCredential,
} from './credential-file.ts'
import { askForTokens, beginLogin, endLogin, renewed } from './device-login.ts'

/** A token is renewed so long before its end, because an agent keeps it for some minutes. */
const RENEW_BEFORE_MS = 10 * 60_000
const SLOWER_MS = 5_000

export async function login({ values }: Input<'login'>, terminal: Terminal): Promise<number> {
  const { sleep = timer } = terminal
  const file = fileOf(terminal)
  const url = readUrl(values.url ?? (await readCredential(file).catch(needsUrl)).url)
  await demandWritable(file)
  const begun = await beginLogin(url, hostname(), Date.now())
  terminal.remark(`Open ${begun.page} and type this code:\n\n  ${begun.userCode}\n\nWaiting …\n`)
  for (let waitMs = begun.intervalMs; Date.now() < begun.expiresAt; ) {
    await sleep(waitMs)
    const answer = await askForTokens(url, begun.deviceCode, Date.now())
    if (answer === 'slower') waitMs += SLOWER_MS
    if (typeof answer === 'string') continue
    await withLock(file, () => replaceCredential(file, answer))
    terminal.remark(`You are signed in${answer.email === null ? '' : ` as ${answer.email}`}.\n`)
    return 0
  }
  throw new UsageError('The code has expired. Run `gatehouse login` again.')
}

/** The earlier sign-in ends: no program could renew it or sign it out any more. */
async function replaceCredential(file: string, next: Credential): Promise<void> {
  const before = await readCredential(file).catch(() => undefined)
  await writeCredential(file, next)
  if (before) await endLogin(before).catch(() => undefined)
}

function needsUrl(): never {
  throw new UsageError('Name the gateway: `gatehouse login --url https://ai.example.com`.')
}

/** The address without a path at its end. Tokens are sent there, so it is encrypted unless it is this machine. */
export function readUrl(text: string): string {
  const url = URL.parse(text)
  const isLocal = url !== null && /^(127(\.\d+){3}|\[::1\]|localhost)$/.test(url.hostname)
  if (!url || (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal)))
    throw new UsageError('--url: should be an address that begins with https://, or with http:// on this machine')
  return `${url.origin}${url.pathname.replace(/\/(v3(\/claude)?\/?)?$/, '')}`
}

/** Prints only the token. Of several that run at once, one renews, and the others wait and read what it has written. */
export async function token(_input: Input<'token'>, terminal: Terminal): Promise<number> {
  const { access } = await freshCredential(fileOf(terminal))
  terminal.print(`${access}\n`)
  return 0
}

export async function freshCredential(file: string): Promise<Credential> {
  const current = await readCredential(file)
  return isFresh(current) ? current : await withLock(file, () => renew(file))
}

async function renew(file: string): Promise<Credential> {
  const current = await readCredential(file)
  if (isFresh(current)) return current
  const next = await renewed(current, Date.now())
  await writeCredential(file, next)
  return next
}

function isFresh({ expiresAt }: { expiresAt: number }): boolean {
  return expiresAt - Date.now() > RENEW_BEFORE_MS
}

export async function logout(_input: Input<'logout'>, terminal: Terminal): Promise<number> {
  const file = fileOf(terminal)
  await withLock(file, async () => {
    const current = await readCredential(file)
    await endLogin(current).catch(stillSignedIn(file))
    await removeCredential(file)
  })
  terminal.remark('You are signed out.\n')
  return 0
}

/** The file stays: without its token, the session could not be ended from here any more. */
function stillSignedIn(file: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof UsageError)) throw error
    throw new UsageError(
      `You are still signed in. ${error.message} Try again later, or remove ${file}: the session then ends 14 days after its last use.`,
    )
  }
}

function fileOf({ environment }: Terminal): string {
  return credentialFile(environment ?? ownEnvironment())
}
