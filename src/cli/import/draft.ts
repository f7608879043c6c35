import type { Alias } from '../../platform/config/aliases/alias.ts'
import type { ListedCredential } from '../../platform/config/credentials/credential-settings.ts'
import type { LimitKind } from '../../platform/config/spend-limits/limit.ts'
import type { LimitEntry } from '../../platform/config/spend-limits/limit-entry.ts'
import type { DialectName } from '../../translation/dialects/index.ts'
import type { Finding, Verdict } from './finding.ts'

export type DraftAlias = { -readonly [Key in keyof Alias]: Alias[Key] }
export type DraftProvider = {
  dialect: DialectName
  baseUrl: string
  auth: { scheme: 'bearer' | 'header' | 'none'; header?: string; env?: string; optional?: true }
}
type DraftPrice = Record<string, number>

/** What an import has produced so far: a config file, the secrets that it refers to, and verdicts about the source. */
export class Draft {
  readonly aliases = new Map<string, DraftAlias>()
  readonly providers = new Map<string, DraftProvider>()
  readonly credentials = new Map<string, Map<string, ListedCredential>>()
  readonly prices = new Map<string, DraftPrice>()
  readonly budgets: LimitEntry[] = []
  readonly rateLimits: LimitEntry[] = []
  readonly secrets = new Map<string, string>()
  /** What differs from the usual verdict of the mapping table, by path. */
  readonly verdicts = new Map<string, Verdict>()
  /** Findings about what is at no path of the file. */
  readonly findings: Finding[] = []

  judge(path: string, verdict: Verdict): void {
    this.verdicts.set(path, verdict)
  }

  /** The variable that holds this secret from now on. The same secret has one variable. */
  moveSecret(value: string, prefix: string): string {
    for (const [name, secret] of this.secrets) if (secret === value && name.startsWith(prefix)) return name
    let number = 1
    while (this.secrets.has(`${prefix}_${number}`)) number++
    const name = `${prefix}_${number}`
    this.secrets.set(name, value)
    return name
  }

  /** Lists the variable as a credential of the provider, under its own name. A file is called like its path. */
  addCredential(provider: string, name: string, listed: ListedCredential = { env: name }): void {
    const list = this.credentials.get(provider) ?? new Map<string, ListedCredential>()
    this.credentials.set(provider, list.set(name, listed))
  }

  addLimits(limits: readonly { kind: LimitKind; entry: LimitEntry }[]): void {
    for (const { kind, entry } of limits) (kind === 'budget' ? this.budgets : this.rateLimits).push(entry)
  }

  /** The content of the config file, without members that are empty. */
  toConfig(): Record<string, unknown> {
    const lists = Array.from(this.credentials, ([id, list]) => [id, [...list.values()]] as const)
    const members = {
      providers: Object.fromEntries(this.providers),
      credentials: Object.fromEntries(lists),
      prices: Object.fromEntries(this.prices),
      aliases: Object.fromEntries(this.aliases),
      budgets: this.budgets,
      rateLimits: this.rateLimits,
    }
    return Object.fromEntries(Object.entries(members).filter(([, value]) => Object.keys(value).length > 0))
  }
}
