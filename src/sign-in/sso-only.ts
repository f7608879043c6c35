import type { AuthSettings } from '../config/auth/auth.ts'
import { problem } from '../contract/problems.ts'
import type { Database } from '../store/database.ts'
import { hasPasswordPass } from '../store/sign-in/password-passes.ts'
import { hasSsoOwner } from '../store/sign-in/sso-sessions.ts'

/**
 * Whether passwords are refused. `auth.ssoOnly` alone is not enough: as long as no owner has signed in with one of the
 * providers of the config file, passwords keep working, so that a mistake in the config file locks nobody out.
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
type Needs = PasswordRule & { db: Database; now(): number }

/** Throws if only providers may be used. A password that was set on the machine itself is the way back in. */
export async function demandPasswords({ db, now, config }: Needs, user?: { id: string }): Promise<void> {
  if (!config || !(await isSsoOnly(config.auth, db))) return
  if (user && (await hasPasswordPass(db, user.id, now()))) return
  throw problem('not_allowed', { message: 'Passwords are switched off here. Sign in with a provider.' })
}
