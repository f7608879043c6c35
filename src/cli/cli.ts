import { ownEnvironment } from '../platform/config/environment.ts'
import { type CommandName, type Input, specOf } from './command-line/command-table.ts'
import { sentenceOf } from './command-line/expected-errors.ts'
import { commandsOf, findCommand } from './command-line/find-command.ts'
import { generalHelp, helpOf } from './command-line/help.ts'
import { parseCommand } from './command-line/parse-command.ts'
import { environmentOf } from './command-line/settings-flags.ts'
import { withElapsedTime } from './output/elapsed-time.ts'
import { OWN_TERMINAL, type Terminal } from './terminal.ts'
import { versionText } from '../platform/version.ts'

type Run<Name extends CommandName> = (input: Input<Name>, terminal: Terminal) => Promise<number>

/** Commands are loaded on demand, so that help and small commands do not wait for the whole gateway. */
const LOADERS: { [Name in CommandName]: () => Promise<Run<Name>> } = {
  serve: async () => (await import('./serve.ts')).serve,
  init: async () => (await import('./init/init.ts')).init,
  doctor: async () => (await import('./doctor/doctor.ts')).doctor,
  'keys create': async () => (await import('./keys/create-key.ts')).createKey,
  'keys list': async () => (await import('./keys/show-keys.ts')).listKeys,
  'keys show': async () => (await import('./keys/show-keys.ts')).showKey,
  'keys update': async () => (await import('./keys/update-key.ts')).updateKey,
  'keys rotate': async () => (await import('./keys/rotate-key.ts')).rotateKey,
  'keys revoke': async () => (await import('./keys/revoke-key.ts')).revokeKey,
  'users create': async () => (await import('./users/users.ts')).createUserCommand,
  'users list': async () => (await import('./users/users.ts')).listUsersCommand,
  'users reset-password': async () => (await import('./users/users.ts')).resetPasswordCommand,
  'users invite': async () => (await import('./users/invite-users.ts')).inviteUsersCommand,
  'users disable': async () => (await import('./users/users.ts')).disableUserCommand,
  login: async () => (await import('./agents/login.ts')).login,
  token: async () => (await import('./agents/login.ts')).token,
  logout: async () => (await import('./agents/login.ts')).logout,
  configure: async () => (await import('./agents/configure.ts')).configure,
  'audit verify': async () => (await import('./audit/verify-audit.ts')).verifyAuditCommand,
  'budgets list': async () => (await import('./budgets/show-limits.ts')).listLimitsCommand,
  'budgets show': async () => (await import('./budgets/show-limits.ts')).showLimitCommand,
  'budgets simulate': async () => (await import('./budgets/simulate.ts')).simulateCommand,
  'import litellm': async () => (await import('./import/import-litellm.ts')).importLitellmCommand,
  'import env': async () => (await import('./import/import-env.ts')).importEnvCommand,
  'import check': async () => (await import('./import/check-import.ts')).checkImport,
  logs: async () => (await import('./logs.ts')).logs,
  'batch submit': async () => (await import('./batches/submit.ts')).submit,
  'batch status': async () => (await import('./batches/status.ts')).status,
  'batch results': async () => (await import('./batches/results.ts')).results,
  backup: async () => (await import('./backup.ts')).backup,
  'ledger verify': async () => (await import('./verify-ledger.ts')).verifyLedger,
  demo: async () => (await import('./demo.ts')).demo,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  'catalog check': async () => (await import('./catalog.ts')).checkShipped,
  'catalog update': async () => (await import('./catalog.ts')).updateCatalog,
  'catalog key': async () => (await import('./sign-catalog.ts')).createCatalogKey,
  'catalog sign': async () => (await import('./sign-catalog.ts')).sign,
  explain: async () => (await import('./explain.ts')).explainCommand,
  'webhook-key': async () => (await import('./webhook-key.ts')).showRsaKey,
  'webhook-key ed25519': async () => (await import('./webhook-key.ts')).showTimestampKey,
  'webhook-key rotate': async () => (await import('./webhook-key.ts')).rotateWebhookKey,
  completion: async () => (await import('./completion/completion.ts')).printCompletion,
  version: async () => async (_input, terminal) => say(versionText(), terminal),
}

export async function run(argv: string[], terminal = OWN_TERMINAL): Promise<number> {
  const text = answerWithoutCommand(argv)
  if (text !== undefined) return say(text, terminal)
  try {
    const { name, argv: rest } = findCommand(argv)
    return await runCommand(name, rest, terminal)
  } catch (error) {
    const sentence = sentenceOf(error)
    if (sentence === undefined) throw error
    terminal.remark(`gatehouse: ${sentence}\n`)
    return 1
  }
}

async function runCommand<Name extends CommandName>(name: Name, argv: string[], terminal: Terminal): Promise<number> {
  const input = parseCommand(name, argv)
  const environment = environmentOf(name, input.values, terminal.environment ?? ownEnvironment())
  const command = await LOADERS[name]()
  const own = { ...terminal, environment }
  return specOf(name).isOpenEnded
    ? await command(input, own)
    : await withElapsedTime(name, own, (shown) => command(input, shown))
}

/** The help and the version, wherever they are asked for. */
function answerWithoutCommand(argv: readonly string[]): string | undefined {
  const [first, ...rest] = argv
  if (first === '--version' || first === '-v') return versionText()
  const words = first === 'help' ? rest : argv
  const isHelp = first === 'help' || argv.includes('--help') || argv.includes('-h')
  if (!isHelp) return undefined
  const names = commandsOf(words)
  return names.length > 0 ? helpOf(names) : generalHelp()
}

function say(text: string, { print }: Terminal): number {
  print(text)
  return 0
}
