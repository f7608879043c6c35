import * as crypto from 'node:crypto'
import { promisify } from 'node:util'
import { capacityFor, FairSemaphore } from '../../base/fairness/fair-semaphore.ts'

// Passwords are stored as PHC strings, which name the algorithm and its cost, so that both can be raised: argon2id, or scrypt
// where a Node has no argon2. A hash takes 19 MB or more for a twentieth of a second, so two at most are made at
// once, and networks that ask for many of them take turns with others.

/** What a hash costs an attacker who tries passwords. No setting lowers it; only the services of a test do. */
export const PASSWORD_COST = { memory: 19_456, passes: 2, parallelism: 1 }
export type PasswordCost = typeof PASSWORD_COST
export type HashingServices = { passwordCost: PasswordCost }
const SCRYPT = { logN: 15, r: 8, p: 1 }
const SALT_BYTES = 16
const TAG_BYTES = 32
const AT_ONCE = 2
const MAX_WAITING = 20
const WAIT_MS = 10_000

const slots = new FairSemaphore({ capacity: capacityFor(AT_ONCE), maxWaiting: MAX_WAITING })

type Argon2 = (algorithm: 'argon2id', parameters: object, done: (error: Error | null, tag: Buffer) => void) => void
const nodeArgon2 = (crypto as { argon2?: Argon2 }).argon2
const scrypt = promisify(
  (text: string, salt: Buffer, options: crypto.ScryptOptions, done: (error: Error | null, tag: Buffer) => void) =>
    crypto.scrypt(text, salt, TAG_BYTES, options, done),
)

/** `network` is who asks for it, or nothing on the machine itself. Throws NoCapacity if the network asks for too many. */
export async function hashPassword(
  password: string,
  network = '',
  { cost = PASSWORD_COST, argon2 = nodeArgon2 } = {},
): Promise<string> {
  const salt = crypto.randomBytes(SALT_BYTES)
  return await inTurn(network, () => (argon2 ? argon2Hash(argon2, password, salt, cost) : scryptHash(password, salt)))
}

/** For a Node without argon2, and for its test. */
export async function scryptHash(password: string, salt = crypto.randomBytes(SALT_BYTES)): Promise<string> {
  const { logN, r, p } = SCRYPT
  return `$scrypt$ln=${logN},r=${r},p=${p}$${plain(salt)}$${plain(await scryptTag(password, salt, SCRYPT))}`
}

async function argon2Hash(argon2: Argon2, password: string, salt: Buffer, cost: PasswordCost): Promise<string> {
  const { memory, passes, parallelism } = cost
  const tag = await argon2Tag(argon2, password, salt, cost)
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${plain(salt)}$${plain(tag)}`
}

/** A hash that this program cannot read, and one with a cost that this program does not write, match no password. */
export async function isPassword(password: string, stored: string, network = ''): Promise<boolean> {
  const read = readHash(stored)
  if (!read) return false
  const { salt, tag, make } = read
  return crypto.timingSafeEqual(await inTurn(network, () => make(password, salt)), tag)
}

async function inTurn<T>(network: string, work: () => Promise<T>): Promise<T> {
  await slots.acquireWithin(WAIT_MS, network)
  try {
    return await work()
  } finally {
    slots.release(network)
  }
}

type ReadHash = { salt: Buffer; tag: Buffer; make(password: string, salt: Buffer): Promise<Buffer> }

function readHash(stored: string): ReadHash | undefined {
  const [, , memory, passes, parallelism, ...argon2Rest] = ARGON2_HASH.exec(stored) ?? []
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  if (memory && nodeArgon2 && cost.memory <= MAX_MEMORY_KB && cost.passes <= MAX_PASSES)
    return { ...saltAndTag(argon2Rest), make: (password, salt) => argon2Tag(nodeArgon2, password, salt, cost) }
  const [, logN, r, p, ...scryptRest] = SCRYPT_HASH.exec(stored) ?? []
  if (!logN || Number(logN) > MAX_LOG_N) return undefined
  const scryptCost = { logN: Number(logN), r: Number(r), p: Number(p) }
  return { ...saltAndTag(scryptRest), make: (password, salt) => scryptTag(password, salt, scryptCost) }
}

const ARGON2_HASH =
  /^\$argon2id\$v=(19)\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,64})\$([A-Za-z0-9+/]{43})$/
const SCRYPT_HASH = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d)\$([A-Za-z0-9+/]{11,64})\$([A-Za-z0-9+/]{43})$/
const MAX_MEMORY_KB = 262_144
const MAX_PASSES = 10
const MAX_LOG_N = 17

function saltAndTag([salt = '', tag = '']: string[]): { salt: Buffer; tag: Buffer } {
  return { salt: Buffer.from(salt, 'base64'), tag: Buffer.from(tag, 'base64') }
}

/** PHC strings have base64 without its padding. */
function plain(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}

/** Two spellings of one character are the same password. */
function bytesOf(password: string): string {
  return password.normalize('NFC')
}

function argon2Tag(argon2: Argon2, password: string, nonce: Buffer, cost: PasswordCost): Promise<Buffer> {
  const parameters = { message: bytesOf(password), nonce, tagLength: TAG_BYTES, ...cost }
  return promisify(argon2)('argon2id', parameters)
}

function scryptTag(password: string, salt: Buffer, { logN, r, p }: typeof SCRYPT): Promise<Buffer> {
  const N = 2 ** logN
  return scrypt(bytesOf(password), salt, { N, r, p, maxmem: 256 * N * r })
}
