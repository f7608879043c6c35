import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCatalogText, refuseFlaws, writeCatalogText } from '../platform/catalog/catalog-update.ts'
import { signCatalog, writePublicKey } from '../platform/catalog/signed-catalog.ts'
import { loadConfig } from '../platform/config/config.ts'
import type { Input } from './command-line/command-table.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** Signs a folder of `<provider>.json` files, in the form of src/platform/catalog/models. */
export async function sign({ values, operands }: Input<'catalog sign'>, terminal: Terminal): Promise<number> {
  const { environment, print, remark } = terminal
  const folder = operands[0]!
  if (!values.key) throw new UsageError('Name the private key: --key FILE. See `gatehouse catalog sign --help`.')
  const dated = new Date(values.dated ?? Date.now())
  if (Number.isNaN(dated.getTime())) throw new UsageError('--dated must be a date, such as 2027-01-31T00:00:00Z.')
  const text = writeCatalogText(dated, filesIn(folder))
  refuseFlaws({ ...readCatalogText(text), digest: '' }, loadConfig(environment).providers)
  const privateKey = readPrivateKey(values.key)
  const document = signCatalog(text, privateKey)
  if (values.out) writeFileSync(values.out, document)
  else print(document)
  remark(`CATALOG_PUBLIC_KEY=${writePublicKey(createPublicKey(privateKey))}\n`)
  return 0
}

function filesIn(folder: string): Record<string, unknown> {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
    if (names.length === 0) throw new Error('it has no file <provider>.json')
    return Object.fromEntries(names.map((name) => [name.replace(/\.json$/, ''), parsed(join(folder, name))]))
  } catch (error) {
    throw new UsageError(`${folder} cannot be used: ${(error as Error).message}.`)
  }
}

function parsed(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'))
}

function readPrivateKey(file: string): KeyObject {
  try {
    const key = createPrivateKey(readFileSync(file))
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // The reason may quote the file.
  }
  throw new UsageError(
    `${file} does not hold an Ed25519 private key (PEM). \`gatehouse catalog key FILE\` creates one.`,
  )
}

/** Creates a key pair. An existing file is never replaced. */
export async function createCatalogKey(
  { operands }: Input<'catalog key'>,
  { print, remark }: Terminal,
): Promise<number> {
  const file = operands[0]!
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  if (existsSync(file)) throw new UsageError(`${file} exists already. A key is never replaced: name another file.`)
  writeFileSync(file, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600, flag: 'wx' })
  remark(`The private key is in ${file}. Processes that use your catalogs need this setting:\n`)
  print(`CATALOG_PUBLIC_KEY=${writePublicKey(publicKey)}\n`)
  return 0
}
