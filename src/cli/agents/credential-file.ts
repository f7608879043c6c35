import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRecord } from '../../base/schema/record.ts'
import type { Environment } from '../../platform/config/environment.ts'
import { UsageError } from '../usage-error.ts'

// The file with the tokens of a sign-in, in the folder for settings of the user. Only the user can read it.

const OWNER_ONLY = 0o600
const FOLDER_OF_OWNER = 0o700
const LOCK_TRY_MS = 50
/** Longer than a renewal may take. A lock that is older was left by a process that has died. */
const LOCK_OLD_MS = 30_000
const LOCK_TRIES = 1_200

export type Credential = {
  /** The address of the gateway. */
  url: string
  access: string
  refresh: string
  /** When the access token ends. */
  expiresAt: number
  email: string | null
}

export function credentialFile(environment: Environment): string {
  const base = environment.XDG_CONFIG_HOME || environment.APPDATA || join(environment.HOME || homedir(), '.config')
  return join(base, 'gatehouse', 'sign-in.json')
}

export async function readCredential(file: string): Promise<Credential> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  const value = text === undefined ? undefined : parsed(text)
  if (!isCredential(value))
    throw new UsageError('You are not signed in. Run `gatehouse login --url <address of the gateway>`.')
  return value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isCredential(value: unknown): value is Credential {
  return isRecord(value) && [value.url, value.access, value.refresh].every((one) => typeof one === 'string')
}

/** A reader sees the file as it was or as it is, and never a part of it. */
export async function writeCredential(file: string, credential: Credential): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: FOLDER_OF_OWNER })
  const written = `${file}.${process.pid}.new`
  const handle = await open(written, 'w', OWNER_ONLY)
  try {
    await handle.writeFile(`${JSON.stringify(credential, null, 2)}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(written, file)
}

export async function removeCredential(file: string): Promise<void> {
  await rm(file, { force: true })
}

/** Throws if the tokens of a sign-in could not be stored. */
export async function demandWritable(file: string): Promise<void> {
  await withLock(file, () => Promise.resolve())
}

/** Only one process at a time works on the file: each refresh token is used once. */
export async function withLock<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  const lock = `${file}.lock`
  await mkdir(dirname(file), { recursive: true, mode: FOLDER_OF_OWNER }).catch(cannotWrite(file))
  for (let tries = 0; !(await isTaken(lock)); tries++) {
    if (tries >= LOCK_TRIES)
      throw new UsageError(`Another process holds ${lock}. Remove it if no gatehouse is running.`)
    await sleep(LOCK_TRY_MS)
  }
  try {
    return await work()
  } finally {
    await rm(lock, { force: true })
  }
}

/** Whether this process has it now. */
async function isTaken(lock: string): Promise<boolean> {
  try {
    await (await open(lock, 'wx', OWNER_ONLY)).close()
    return true
  } catch (error) {
    if (!isTakenError(error)) return cannotWrite(lock)(error)
    const left = await stat(lock).catch(() => undefined)
    if (left && Date.now() - left.mtimeMs > LOCK_OLD_MS) await rm(lock, { force: true })
    return false
  }
}

function isTakenError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST'
}

function cannotWrite(file: string): (error: unknown) => never {
  return (error) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(
      `Your sign-in is stored in ${dirname(file)}, which cannot be written (${reason}). XDG_CONFIG_HOME names another folder.`,
    )
  }
}
