import type { AuthSettings } from '../../platform/config/auth/auth.ts'
import { problem } from '../../contract/problems.ts'
import type { Database } from '../../platform/store/database.ts'
import { hasSsoOwner } from '../../platform/store/sign-in/sso-sessions.ts'

/**
 * Whether passwords are refused. `auth.ssoOnly` alone is not enough: as long as no owner has signed in with one of the
 * providers of the config file, passwords keep working, so that a mistake in the config file does not lock all owners out.
 */
export async function isSsoOnly({ ssoOnly, oidc }: AuthSettings, db: Database): Promise<boolean> {
  if (!ssoOnly) return false
  return await hasSsoOwner(
    db,
    oidc.map(({ issuer }) => issuer),
  )
}

/** Without a configuration, passwords are accepted. */
export type PasswordRule = { config?: { auth: AuthSettings } }
type Needs = PasswordRule & { db: Database }

export async function arePasswordsOff({ db, config }: Needs): Promise<boolean> {
  return config !== undefined && (await isSsoOnly(config.auth, db))
}

/** Throws if only providers may be used. A password that was set on the machine itself is the way back in. */
export async function demandPasswords(needs: Needs): Promise<void> {
  if (await arePasswordsOff(needs)) throw passwordsAreOff()
}

export function passwordsAreOff() {
  return problem('not_allowed', { message: 'Passwords are switched off here. Sign in with a provider.' })
}
