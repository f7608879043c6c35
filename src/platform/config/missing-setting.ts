import type { Auth } from '../providers/provider.ts'
import type { ListedCredential } from './credentials/credential-settings.ts'

/** What a provider lacks: a credential, or a part of its address. `all`: one of the variables is not enough. */
export type MissingSetting = { variables: readonly string[]; for: 'credential' | 'address'; all?: boolean }

type Environment = Readonly<Record<string, string | undefined>>

export const AWS_PAIR = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']

/** Listed credentials replace the usual variable, so any of theirs has to be set. */
export function missingCredential(
  { scheme, env }: Auth,
  environment: Environment,
  listed: readonly ListedCredential[] | undefined,
): MissingSetting {
  if (listed) return { variables: listed.flatMap((one) => one.env ?? []), for: 'credential' }
  if (scheme !== 'aws') return { variables: env === undefined ? [] : [env], for: 'credential' }
  return { variables: AWS_PAIR.filter((name) => !environment[name]), for: 'credential', all: true }
}

export function missingPart(variable: string | undefined): MissingSetting | undefined {
  return variable === undefined ? undefined : { variables: [variable], for: 'address' }
}
