import { parseConfig } from '../../platform/config/config.ts'
import type { Draft } from './draft.ts'
import { type FileState, type OutputFile, stateOf } from './write-files.ts'
import { secretsText } from './secrets-file.ts'

const DEFAULT_CONFIG = 'gatehouse.config.json'
const DEFAULT_SECRETS = 'gatehouse.secrets.env'

type OutputFlags = { out?: string | undefined; secrets?: string | undefined; force?: boolean | undefined }

export type Output = OutputFile & { state: FileState; holdsSecrets: boolean }

/** The files of an import. A config that the gateway would refuse is not written. */
export function outputsOf(
  draft: Draft,
  { out = DEFAULT_CONFIG, secrets = DEFAULT_SECRETS, force = false }: OutputFlags,
): Output[] {
  const content = draft.toConfig()
  parseConfig({ environment: {}, file: { path: out, content } })
  const files = [
    ...(Object.keys(content).length > 0
      ? [{ path: out, text: `${JSON.stringify(content, null, 2)}\n`, holdsSecrets: false }]
      : []),
    ...(draft.secrets.size > 0 ? [{ path: secrets, text: secretsText(draft.secrets), holdsSecrets: true }] : []),
  ]
  return files.map((file) => ({ ...file, state: stateOf(file, force) }))
}

export function outputLine({ path, state, holdsSecrets }: Output, isApplied: boolean): string {
  const what = holdsSecrets ? `${path} (secrets, mode 0600)` : path
  if (state === 'unchanged') return `${what}: unchanged\n`
  const verb = state === 'new' ? ['would be written', 'written'] : ['would be replaced', 'replaced']
  return `${what}: ${verb[isApplied ? 1 : 0]}\n`
}

/** What to do after an import: write the files, or check them and start with them. */
export function nextLine(outputs: readonly Output[], isApplied: boolean, envFiles: readonly string[]): string {
  const isWritten = isApplied || outputs.every(({ state }) => state === 'unchanged')
  if (!isWritten) return 'Nothing was written. Next: run it again with --apply.\n'
  const config = outputs.find(({ path, holdsSecrets }) => !holdsSecrets && path !== DEFAULT_CONFIG)
  const flags = [...(config ? [`--config ${config.path}`] : []), ...envFiles.map((file) => `--env-file ${file}`)]
  const [check, serve] = ['gatehouse import check', 'gatehouse serve'].map((command) => [command, ...flags].join(' '))
  return `Next: ${check}, then ${serve}\n`
}
